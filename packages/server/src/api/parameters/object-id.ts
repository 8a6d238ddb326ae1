const [ZERO, NINE] = [0x30, 0x39]

/**
 * Parses an object's id in a path or a list. Undefined if it is not digits. Leading zeros are ignored. A
 * number that is too large for an id becomes Infinity, which matches no object.
 */
export function parseObjectId(text: string): number | undefined {
  return readObjectId(text, 0, text.length)
}

/** Likewise for a part of a text: a list has up to 1,000 ids, and slicing each would take longest. */
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
