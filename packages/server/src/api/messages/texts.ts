import type { Language } from '../../domain/organization.ts'
import type { RefusalMessage } from '../refusal.ts'

type Parameters<Key> = Omit<Extract<RefusalMessage, { key: Key }>, 'key'>

/** The messages of one language, as functions of their parameters. */
export type Messages = {
  readonly [Key in RefusalMessage['key']]: (of: Parameters<Key>) => string
}

type Forms = { readonly [Rule in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** The form of a word for a number in the language (CLDR cardinal rules). */
export function pluralIn(language: Language): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  return (count, forms) => forms[rules.select(count)] ?? forms.other
}
