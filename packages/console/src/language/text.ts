import i18next from 'i18next'
import english from './texts/en.json' with { type: 'json' }

/** Values for the names in braces of a text. Ids are strings: only numbers are written in the viewer's way. */
export type Values = Record<string, string | number>

// The English text is the key, so a text without a translation is English.
// Only its plurals are in a file.
void i18next.init({
  lng: 'en',
  resources: { en: english },
  ns: ['console', 'server'],
  defaultNS: 'console',
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
  // React escapes.
  interpolation: { escapeValue: false },
})

/**
 * A text in the viewer's language. `count` chooses the plural: `t('{{count, number}} keys', { count })`.
 * The language is set before the first page loads, so constants may hold texts.
 */
export function t(text: string, values?: Values): string {
  return i18next.t(text, values ?? {})
}

export { i18next }
