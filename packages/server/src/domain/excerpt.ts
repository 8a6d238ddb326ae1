const LONGEST = 40

/**
 * What a client sent, fit to be repeated in a message: at most 40 characters, and none that hides,
 * reorders or breaks the text around it (controls, bidirectional marks, halves of a character).
 */
export function excerpt(text: string): string {
  const head = [...text.slice(0, 2 * LONGEST + 2)]
  const shown = head.length > LONGEST ? `${head.slice(0, LONGEST - 1).join('')}…` : head.join('')
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
