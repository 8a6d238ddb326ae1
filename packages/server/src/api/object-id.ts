const [ZERO, NINE] = [0x30, 0x39]

/**
 * An object's id out of a path or a list: undefined where it is not digits. Leading zeros mean
 * nothing; what is too large to be any object's id becomes Infinity, which names none.
 */
export function parseObjectId(text: string): number | undefined {
  return readObjectId(text, 0, text.length)
}

/** The same out of a part of a text: lists have a thousand of them, and cutting each out takes longest. */
export function readObjectId(text: string, start: number, end: number): number | undefined {
  if (start >= end) return undefined
  let id = 0
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at)
    if (digit < ZERO || digit > NINE) return undefined
    id = id * 10 + (digit - ZERO)
  }
  return id <= Number.MAX_SAFE_INTEGER ? id : Number.POSITIVE_INFINITY
}
