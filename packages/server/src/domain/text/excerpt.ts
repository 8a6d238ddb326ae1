const LONGEST = 40

/**
 * Makes client input safe to repeat in a message: at most 40 characters, without controls, bidirectional
 * marks and halves of a character, which could hide, reorder or break the text around them.
 */
export function excerpt(text: string): string {
  const head = [...text.slice(0, 2 * LONGEST + 2)]
  const shown = head.length > LONGEST ? `${head.slice(0, LONGEST - 1).join('')}…` : head.join('')
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
