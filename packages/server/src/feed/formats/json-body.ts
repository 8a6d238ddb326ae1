import { type FeedRefusal, unreadable } from '../refusal.ts'

/** The value that JSON text holds, as `{ value }`, or why it holds none. */
export function parseJson(text: string): { value: unknown } | FeedRefusal {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (text === '') return unreadable('The body is empty: it must be JSON')
    return unreadable(`The body must be JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

/** The place of the first byte that is no white space, -1 where there is none. */
export function firstByteAt(body: Buffer): number {
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at
  }
  return -1
}
