import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'

/** The languages of the console, `en`: each has a file of texts. */
const LANGUAGES = readdirSync(path.join(import.meta.dirname, 'src/language/texts')).map(
  (file) => path.parse(file).name,
)

const WORDS_OF = /[\\/]react-(?:aria|aria-components|stately)[\\/].*[\\/]([a-z]{2})-[A-Z]{2}\.m?js$/

/** React Aria brings its few words in 34 languages. Only those of the console are built into it. */
export function reactAriaLanguages(): Plugin {
  return {
    name: 'react-aria-languages',
    enforce: 'pre',
    load: (id) => {
      const [, language] = WORDS_OF.exec(id.split('?')[0]!) ?? []
      return language === undefined || LANGUAGES.includes(language)
        ? undefined
        : 'export default {}'
    },
  }
}
