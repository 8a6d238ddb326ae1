import type { Plugin } from 'vite'

const OTHER_LANGUAGE =
  /[\\/]react-(aria|aria-components|stately)[\\/].*[\\/](?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/

/** React Aria brings its few words in 34 languages. The console speaks one: see the provider in src/main.tsx. */
export function englishOnly(): Plugin {
  return {
    name: 'english-only',
    enforce: 'pre',
    load: (id) => (OTHER_LANGUAGE.test(id.split('?')[0]!) ? 'export default {}' : undefined),
  }
}
