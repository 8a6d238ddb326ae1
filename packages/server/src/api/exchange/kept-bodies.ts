import type { CachedObject } from '../../cache/fleet-objects.ts'
import { ownBytes } from '../../domain/common/packed-numbers.ts'

/** Bodies that many requests ask for unchanged. Each server has its own. */
export type KeptBodies = {
  /** By the listing shown. */
  readonly lists: BodyCache<object>
  /** By the objects shown, in the states shown. */
  readonly latest: BodyCache<readonly CachedObject[]>
}

const MAX_BYTES = 64 * 1024 * 1024

export function keptBodies(): KeptBodies {
  return { lists: bodyCache(MAX_BYTES), latest: bodyCache(MAX_BYTES) }
}

/**
 * A cache of bodies that are expensive to make. Drops the least recently used ones beyond a number of
 * bytes.
 */
export type BodyCache<Key extends object> = {
  get(key: Key): Buffer | undefined
  set(key: Key, body: Buffer): void
  /** Drops a body that nobody will ask for again. */
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
        // A map keeps the order of insertion, so insert a used body again.
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
