import type { Language } from '../../base/domain/organization.ts'
import type { Refusal, RefusalMessage } from '../refusal.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Messages } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'
import { ru } from './ru.ts'
import { tr } from './tr.ts'

const LANGUAGES: Readonly<Record<Language, Messages>> = { en, tr, de, es, fr, pt, ru, ar }

/** The message of a refusal in a language, as plain text. */
export function messageOf(refusal: Pick<Refusal, 'message'>, language: Language): string {
  const { message } = refusal
  // Each entry takes the parameters of its own key. The type of the pair cannot express that.
  const say = LANGUAGES[language][message.key] as (of: RefusalMessage) => string
  return say(message)
}
