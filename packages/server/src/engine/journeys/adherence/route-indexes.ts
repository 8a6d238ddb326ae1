import { type SharedWork, sharedWork } from '../../../base/domain/common/shared-work.ts'
import { runInTurns } from '../../../base/domain/common/slots.ts'
import type { Steps } from '../../../base/domain/common/steps.ts'
import type { Route } from '../../../base/domain/places/place.ts'
import { RouteLine } from './route-line.ts'
import { Waypoints } from './waypoint-visits.ts'

/** The indexes of routes, each made once for each version. */
export type RouteIndexes = {
  /** Whether there is such a route. Requests at the same time share one `read`, and none reads if the index is kept. */
  exists(version: string, read: () => Promise<Route | undefined>): Promise<boolean>
  /**
   * `version`: a text that another version of the route, or another route, does not have. Undefined if `read` finds no
   * route. `gone` ends the wait; an index for which nobody waits is not finished.
   */
  find(
    version: string,
    read: () => Promise<Route | undefined>,
    gone: AbortSignal,
  ): Promise<RouteIndex | undefined>
}

/** The index of a route of 280,000 vertices takes 25 MB. */
const MAX_BYTES = 64 * 1024 * 1024

type Making = SharedWork<RouteIndex | undefined>

/** Drops the least recently used indexes beyond a number of bytes. */
export function openRouteIndexes(maximumBytes: number = MAX_BYTES): RouteIndexes {
  const kept = leastRecentlyUsed(maximumBytes)
  const making = new Map<string, Making>()
  const looking = new Map<string, Promise<boolean>>()

  async function make(
    version: string,
    read: () => Promise<Route | undefined>,
    abandoned: AbortSignal,
  ): Promise<RouteIndex | undefined> {
    const route = await read()
    if (route === undefined) return undefined
    const index = await runInTurns(indexRoute(route), abandoned)
    kept.add(version, index)
    return index
  }

  function begin(version: string, read: () => Promise<Route | undefined>): Making {
    const forget = () => {
      if (making.get(version) === begun) making.delete(version)
    }
    const begun = sharedWork((abandoned) => make(version, read, abandoned), forget)
    making.set(version, begun)
    begun.result.then(forget, forget)
    return begun
  }

  return {
    async exists(version, read) {
      if (kept.has(version)) return true
      const shared = looking.get(version)
      if (shared !== undefined) return shared
      const found = read().then((route) => route !== undefined)
      looking.set(version, found)
      try {
        return await found
      } finally {
        looking.delete(version)
      }
    },
    async find(version, read, gone) {
      const existing = kept.use(version)
      if (existing !== undefined) return existing
      return (making.get(version) ?? begin(version, read)).wait(gone)
    },
  }
}

/** Indexes up to a number of bytes. The least recently used ones are dropped. */
function leastRecentlyUsed(maximumBytes: number) {
  const kept = new Map<string, RouteIndex>()
  let bytes = 0

  return {
    has: (version: string) => kept.has(version),
    add(version: string, index: RouteIndex): void {
      kept.set(version, index)
      bytes += bytesOf(index)
      for (const [oldest, dropped] of kept) {
        if (bytes <= maximumBytes) break
        bytes -= bytesOf(dropped)
        kept.delete(oldest)
      }
    },
    use(version: string): RouteIndex | undefined {
      const index = kept.get(version)
      if (index === undefined) return undefined
      // A map keeps the order of insertion, so insert a used index again.
      kept.delete(version)
      kept.set(version, index)
      return index
    },
  }
}

function bytesOf({ line, waypoints }: RouteIndex): number {
  return line.bytes + waypoints.bytes
}

/** A version of a route, in a form in which positions find what is near them. */
export type RouteIndex = Pick<Route, 'id' | 'deviation'> & {
  readonly line: RouteLine
  readonly waypoints: Waypoints
}

export function* indexRoute({
  id,
  deviation,
  coordinates,
  points,
}: Pick<Route, 'id' | 'deviation' | 'coordinates' | 'points'>): Steps<RouteIndex> {
  const line = yield* RouteLine.through(coordinates)
  return { id, deviation, line, waypoints: yield* Waypoints.of(points) }
}
