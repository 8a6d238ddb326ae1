/** A text without case, spaces, punctuation and accents, so that `B-XY 12` is found as `bxy12`, and `Garbí` as `garbi`. */
export function searched(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\s\p{P}\p{Mn}]/gu, '')
}

/** Whether one of the texts contains another, both as searched. */
export function contains(texts: readonly (string | null)[], wanted: string): boolean {
  return texts.some((text) => text !== null && searched(text).includes(wanted))
}
