import { ownBytes } from './own-bytes.ts'

/** Bodies that are dear to make, the longest unused ones given up once they hold too many bytes. */
export type BodyCache<Key extends object> = {
  get(key: Key): Buffer | undefined
  set(key: Key, body: Buffer): void
}

export function bodyCache<Key extends object>(maximumBytes: number): BodyCache<Key> {
  const bodies = new Map<Key, Buffer>()
  let bytes = 0

  return {
    get(key) {
      const body = bodies.get(key)
      if (body !== undefined) {
        // A map iterates in the order of insertion: what is used again goes to the end.
        bodies.delete(key)
        bodies.set(key, body)
      }
      return body
    },
    set(key, body) {
      if (body.length > maximumBytes || bodies.has(key)) return
      bodies.set(key, ownBytes(body))
      bytes += body.length
      for (const [oldest, { length }] of bodies) {
        if (bytes <= maximumBytes) break
        bodies.delete(oldest)
        bytes -= length
      }
    },
  }
}
