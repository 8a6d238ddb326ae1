import { i18next } from './text.ts'

const language = i18next.language

/** The viewer's variant of the language of the texts. English without one has a 24-hour day. */
export const LOCALE =
  navigator.languages.find((each) => each.split('-')[0] === language) ??
  (language === 'en' ? 'en-GB' : language)
