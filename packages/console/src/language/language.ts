import { Kept } from '../kept.ts'
import { i18next } from './text.ts'

/** Each file of `texts` is a language. */
const FILES = import.meta.glob<{ default: Record<string, Record<string, string>> }>(
  './texts/*.json',
)

export const LANGUAGES = Object.keys(FILES).map((path) =>
  path.slice('./texts/'.length, -'.json'.length),
)

const kept = new Kept('language')

/** The language that the viewer chose here, or the first of the browser's that there is. */
export function chosenLanguage(): string {
  const wanted = [kept.get(), ...navigator.languages.map((each) => each.split('-')[0]!)]
  return wanted.find((each) => each !== null && LANGUAGES.includes(each)) ?? 'en'
}

/** Loads the texts of the viewer's language. It precedes the pages, which have texts in constants. */
export async function startLanguage(): Promise<void> {
  const language = chosenLanguage()
  document.documentElement.lang = language
  if (language === 'en') return
  const { default: texts } = await FILES[`./texts/${language}.json`]!()
  for (const [part, translated] of Object.entries(texts)) {
    i18next.addResourceBundle(language, part, translated)
  }
  await i18next.changeLanguage(language)
}

/** Loads the page again, in another language. */
export function chooseLanguage(language: string): void {
  kept.set(language)
  location.reload()
}
