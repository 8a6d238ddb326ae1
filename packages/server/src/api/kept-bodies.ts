import type { StandingObject } from '../catalogue/fleet.ts'
import { type BodyCache, bodyCache } from './body-cache.ts'

/** Bodies that many requests ask for unchanged. A server has its own, which end with it. */
export type KeptBodies = {
  /** By the listing that they show. */
  readonly lists: BodyCache<object>
  /** By the objects that they show, as they then stood. */
  readonly latest: BodyCache<readonly StandingObject[]>
}

const MOST_BYTES = 64 * 1024 * 1024

export function keptBodies(): KeptBodies {
  return { lists: bodyCache(MOST_BYTES), latest: bodyCache(MOST_BYTES) }
}
