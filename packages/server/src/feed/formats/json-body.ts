import { type FeedRefusal, unreadable } from '../refusal.ts'

/** The value that a body of JSON holds, as `{ value }`, or why it holds none. */
export function parseBody(body: Buffer): { value: unknown } | FeedRefusal {
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
