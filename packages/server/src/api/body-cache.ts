import { ownBytes } from './own-bytes.ts'

/** Bodies that are dear to make, the longest unused ones given up once they hold too many bytes. */
export type BodyCache<Key extends object> = {
  get(key: Key): Buffer | undefined
  set(key: Key, body: Buffer): void
  /** Gives up one that nobody will ask for again. */
  delete(key: Key): void
}

export function bodyCache<Key extends object>(maximumBytes: number): BodyCache<Key> {
  const bodies = new Map<Key, Buffer>()
  let bytes = 0

  function drop(key: Key): void {
    bytes -= bodies.get(key)?.length ?? 0
    bodies.delete(key)
  }

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
      for (const oldest of bodies.keys()) {
        if (bytes <= maximumBytes) break
        drop(oldest)
      }
    },
    delete: drop,
  }
}
