import type { CachedObject } from '../../cache/fleet-object.ts'
import { type BodyCache, bodyCache } from './body-cache.ts'

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
