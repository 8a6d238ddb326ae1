import { t } from '../language/text.ts'
import { MIN_LENGTH, strengthOf } from './strength.ts'

export function PasswordStrength({ password }: { password: string }) {
  if (password === '') {
    return t(
      'At least {{minlength}} characters. Several words with spaces are easy to remember and hard to guess.',
      { minlength: MIN_LENGTH },
    )
  }
  const { level, advice } = strengthOf(password)
  return <span className={`strength strength-${level}`}>{advice}</span>
}
