import { type FeedRefusal, MAX_ROWS, unreadable } from '../refusal.ts'

/** The value that a body of JSON holds, as `{ value }`, or why it holds none. */
export function parseBody(body: Buffer): { value: unknown } | FeedRefusal {
  const refusal = intricacyRefusal(body)
  if (refusal !== undefined) return refusal
  try {
    return { value: JSON.parse(body.toString()) }
  } catch (error) {
    if (body.length === 0) return unreadable('The body is empty: it must be JSON')
    return unreadable(`The body must be JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

/** Byte of the first character that is no white space, -1 where there is none. */
export function firstByte(body: Buffer): number {
  for (const byte of body) {
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
  }
  return -1
}

/** What is no longer than this is parsed soon enough, whatever it says. */
const HARMLESS_BYTES = 64 * 1024
/** What a row has of arrays and objects, and of what commas part, at most. */
const BRACKETS_OF_ROW = 8
const COMMAS_OF_ROW = 64

/**
 * Refuses what no rows can be: to parse millions of brackets, which a few kilobytes of gzip can hold,
 * would take seconds in which nobody else is answered.
 */
export function intricacyRefusal(body: Buffer): FeedRefusal | undefined {
  if (body.length <= HARMLESS_BYTES) return undefined
  let brackets = 0
  let commas = 0
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte === COMMA) commas += 1
    else if (byte === LEFT_BRACKET || byte === LEFT_BRACE) brackets += 1
  }
  return brackets > MAX_ROWS * BRACKETS_OF_ROW || commas > MAX_ROWS * COMMAS_OF_ROW
    ? unreadable(`The body has more arrays, objects or values than ${MAX_ROWS} rows`)
    : undefined
}

const COMMA = 0x2c
const LEFT_BRACKET = 0x5b
const LEFT_BRACE = 0x7b
