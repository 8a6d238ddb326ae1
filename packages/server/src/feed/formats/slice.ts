/**
 * The part of a body that is parsed before others get a turn. The worst JSON of this length takes 6 ms; 8
 * MiB would take half a second.
 */
export const SLICE_BYTES = 64 * 1024

const QUOTE = 0x22
const COMMA = 0x2c
const LEFT_BRACKET = 0x5b
const BACKSLASH = 0x5c
const RIGHT_BRACKET = 0x5d
const LEFT_BRACE = 0x7b
const RIGHT_BRACE = 0x7d

/**
 * The end of a slice of the rows in a JSON array: the comma behind the first row that ends after
 * `SLICE_BYTES`, or the end of the body if that is near. `from`: the beginning of a row. Undefined if a
 * row is longer than a slice.
 */
export function arraySliceEnd(body: Buffer, from: number): number | undefined {
  const least = from + SLICE_BYTES
  if (body.length <= least) return body.length
  const most = Math.min(body.length, least + SLICE_BYTES)
  let depth = 0
  let isText = false
  for (let at = from; at < most; at += 1) {
    const byte = body[at]
    if (isText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === LEFT_BRACE || byte === LEFT_BRACKET) depth += 1
    else if (byte === RIGHT_BRACE || byte === RIGHT_BRACKET) depth -= 1
    else if (byte === COMMA && depth === 0 && at >= least) return at + 1
  }
  return most === body.length ? most : undefined
}

/** The end of a slice of lines: the first line that ends after `SLICE_BYTES`. */
export function lineSliceEnd(body: Buffer, from: number): number {
  const found = body.indexOf('\n', from + SLICE_BYTES)
  return found === -1 ? body.length : found + 1
}
