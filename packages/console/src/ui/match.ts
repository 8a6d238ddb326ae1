/** Lower case, without accents. */
export function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

/** A shorter word is in many idents by chance, so that it has to be all of one. */
const MIN_OF_IDENT = 4

/** Whether each word is in the text or in the ident. */
export function hasWords(text: string, words: readonly string[], ident = ''): boolean {
  return words.every(
    (word) =>
      text.includes(word) || (word.length < MIN_OF_IDENT ? ident === word : ident.includes(word)),
  )
}

/** Whether a text or an ident has every word that was typed, without regard to case and accents. */
export function matcher(typed: string): (text: string, ident?: string) => boolean {
  const words = wordsOf(plain(typed))
  if (words.length === 0) return () => true
  return (text, ident = '') => hasWords(plain(text), words, plain(ident))
}
