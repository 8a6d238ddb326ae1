import type { Waypoint } from '../../domain/place.ts'
import type { Spot } from '../../domain/position/fold-state.ts'
import { distanceMetres } from '../../fold/rules/geodesic.ts'
import { type EarthPoint, earthPoint, straightSquare } from './earth-point.ts'

export type WaypointVisit = {
  readonly order: number
  /** Metres between the waypoint and the nearest position. Null without a position. */
  readonly nearestDistance: number | null
  /** The time of that position. */
  readonly time: number | null
  /** Null if the route has no deviation, which says how near a visit is. */
  readonly isVisitedInOrder: boolean | null
}

type Tracked = {
  readonly waypoint: Waypoint
  readonly point: EarthPoint
  /** The square of the straight distance to the nearest position. */
  square: number
  nearest: Spot | null
  /** The longest chain of visits in order that ends here. Null: not visited so far. */
  chain: Chain | null
}

/** Visits in the order of the waypoints and of time. */
type Chain = {
  readonly tracked: Tracked
  readonly length: number
  readonly before: Chain | null
}

/**
 * Follows an object past the waypoints of a route. A waypoint is visited at a position within the deviation of it.
 * As many of them as possible count as visited in order: the longest chain in which waypoints and times ascend.
 */
export class WaypointVisits {
  private readonly all: readonly Tracked[]
  private readonly deviation: number | null

  /** `deviation`: metres. */
  constructor(waypoints: readonly Waypoint[], deviation: number | null) {
    this.deviation = deviation
    this.all = waypoints
      .toSorted((a, b) => a.order - b.order)
      .map((waypoint) => ({
        waypoint,
        point: earthPoint(waypoint.location[1], waypoint.location[0]),
        square: Number.POSITIVE_INFINITY,
        nearest: null,
        chain: null,
      }))
  }

  /** Adds the next position. */
  add(spot: Spot): void {
    const point = earthPoint(spot.latitude, spot.longitude)
    /** The longest chain that ends at an earlier waypoint. */
    let longest: Chain | null = null
    for (const tracked of this.all) {
      const square = straightSquare(tracked.point, point)
      if (square < tracked.square) {
        tracked.square = square
        tracked.nearest = spot
      }
      if (this.isVisited(tracked, spot, square)) {
        const length: number = (longest?.length ?? 0) + 1
        if (length > (tracked.chain?.length ?? 0)) {
          tracked.chain = { tracked, length, before: longest }
        }
      }
      const { chain } = tracked
      if (chain !== null && chain.length > (longest?.length ?? 0)) longest = chain
    }
  }

  visits(): WaypointVisit[] {
    const inOrder = this.inOrder()
    return this.all.map((tracked) => {
      const { waypoint, nearest } = tracked
      return {
        order: waypoint.order,
        nearestDistance: nearest === null ? null : metresTo(waypoint, nearest),
        time: nearest?.time ?? null,
        isVisitedInOrder: this.deviation === null ? null : inOrder.has(tracked),
      }
    })
  }

  private isVisited({ waypoint }: Tracked, spot: Spot, square: number): boolean {
    const { deviation } = this
    // No geodesic is shorter than the straight distance.
    if (deviation === null || square > deviation * deviation) return false
    return metresTo(waypoint, spot) <= deviation
  }

  private inOrder(): Set<Tracked> {
    let longest: Chain | null = null
    for (const { chain } of this.all) {
      if (chain !== null && chain.length > (longest?.length ?? 0)) longest = chain
    }
    const inOrder = new Set<Tracked>()
    for (let chain = longest; chain !== null; chain = chain.before) inOrder.add(chain.tracked)
    return inOrder
  }
}

function metresTo({ location: [longitude, latitude] }: Waypoint, spot: Spot): number {
  return distanceMetres(latitude, longitude, spot.latitude, spot.longitude)
}
