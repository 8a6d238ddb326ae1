const DIGITS = /^[0-9]+$/

/**
 * An object's id out of a path or a list: undefined where it is not digits. Leading zeros mean
 * nothing; what is too large to be any object's id becomes Infinity, which names none.
 */
export function parseObjectId(text: string): number | undefined {
  if (!DIGITS.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : Number.POSITIVE_INFINITY
}
