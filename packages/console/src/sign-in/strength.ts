import { PASSWORD } from '../../../server/src/base/domain/access-settings.ts'
import { t } from '../language/text.ts'

/** The shortest password that the server accepts. */
export const MIN_LENGTH = PASSWORD.schema.minLength!

export type Strength = { level: 'short' | 'weak' | 'fair' | 'strong'; advice: string }

const KEYBOARD = 'qwertyuiopasdfghjklzxcvbnm1234567890abcdefghijklmnopqrstuvwxyz'

/** An estimate in words. Length counts most: it costs a guesser more than any odd character does. */
export function strengthOf(password: string): Strength {
  const missing = MIN_LENGTH - password.length
  if (missing > 0) {
    return {
      level: 'short',
      advice: t('{{count, number}} more characters to go.', { count: missing }),
    }
  }
  if (new Set(password).size < 6) {
    return {
      level: 'weak',
      advice: t('Weak: too few different characters. Use several words.'),
    }
  }
  if (isWalk(password.toLowerCase())) {
    return {
      level: 'weak',
      advice: t('Weak: keyboard rows and the alphabet are easy to guess.'),
    }
  }
  if (/fleetgate|password|passwort|contrase/i.test(password) && password.length < 20) {
    return { level: 'weak', advice: t('Weak: contains a common word.') }
  }
  if (password.length >= 20 || (password.length >= 16 && /\W/.test(password))) {
    return { level: 'strong', advice: t('Strong.') }
  }
  return {
    level: 'fair',
    advice: t('Fair. Four or more unrelated words are better.'),
  }
}

/** Whether most of it follows a keyboard's rows or the alphabet. */
function isWalk(password: string): boolean {
  let steps = 0
  for (let at = 1; at < password.length; at += 1) {
    if (KEYBOARD.includes(password.slice(at - 1, at + 1))) steps += 1
  }
  return steps > password.length * 0.7
}
