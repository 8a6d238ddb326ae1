import { type FeedRefusal, unreadable } from '../refusal.ts'

/** The value of a JSON text as `{ value }`, or the reason why it cannot be parsed. */
export function parseJson(text: string): { value: unknown } | FeedRefusal {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (text === '') return unreadable('The body is empty: it must be JSON')
    return unreadable(`The body must be JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

/** The position of the first byte that is not white space, or -1. */
export function firstByteAt(body: Buffer): number {
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at
  }
  return -1
}
