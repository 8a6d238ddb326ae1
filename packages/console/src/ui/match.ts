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

export function hasWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word))
}

/** Whether a text has every word that was typed, without regard to case and accents. */
export function matcher(typed: string): (text: string) => boolean {
  const words = wordsOf(plain(typed))
  return (text) => hasWords(plain(text), words)
}
