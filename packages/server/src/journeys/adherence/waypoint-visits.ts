import type { Steps } from '../../domain/common/steps.ts'
import type { Waypoint } from '../../domain/place.ts'
import type { Spot } from '../../domain/position/fold-state.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { BoxTree } from './box-tree.ts'
import { earthPoint } from './earth-point.ts'
import { NearestSpots } from './nearest-spots.ts'
import { VisitOrder } from './visit-order.ts'

export type WaypointVisit = {
  readonly order: number
  /** Metres between the waypoint and the nearest position. Null without a position. */
  readonly nearestDistance: number | null
  /** The time of that position. */
  readonly time: number | null
  /** Null if the route has no deviation, which says how near a visit is. */
  readonly isVisitedInOrder: boolean | null
}

/** No geodesic is longer than so many times the straight distance: half a circle, and some more for rounding. */
const LONGEST_WAY = 1.6
/** Waypoints passed before others may run: some 20 µs. */
const WAYPOINTS_AT_ONCE = 100

/** The waypoints of a route by their order, shared by all that compare positions with them. */
export class Waypoints {
  readonly all: readonly Waypoint[]
  /** Three coordinates of each. */
  readonly points: Float64Array
  readonly tree: BoxTree

  static *of(waypoints: readonly Waypoint[]): Steps<Waypoints> {
    const all = waypoints.toSorted((a, b) => a.order - b.order)
    const points = new Float64Array(all.length * 3)
    const items = new Uint32Array(all.length)
    for (const [index, { location }] of all.entries()) {
      items[index] = index
      points.set(earthPoint(location[1], location[0]), index * 3)
      if (index % WAYPOINTS_AT_ONCE === 0) yield
    }
    return new Waypoints(all, points, yield* BoxTree.around({ points, items, span: 0 }))
  }

  private constructor(all: readonly Waypoint[], points: Float64Array, tree: BoxTree) {
    this.all = all
    this.points = points
    this.tree = tree
  }

  get bytes(): number {
    return this.all.length * WAYPOINT_BYTES + this.points.byteLength + this.tree.bytes
  }
}

/** A waypoint as an object. */
const WAYPOINT_BYTES = 120

/**
 * Follows an object past the waypoints of a route. A waypoint is visited at a position within the deviation of it.
 * As many of them as possible count as visited in order: the longest chain in which waypoints and times ascend.
 */
export class WaypointVisits {
  private readonly waypoints: Waypoints
  private readonly deviation: number | null
  private readonly nearest: NearestSpots
  private readonly order: VisitOrder

  /** `deviation`: metres. */
  constructor(waypoints: Waypoints, deviation: number | null) {
    this.waypoints = waypoints
    this.deviation = deviation
    this.nearest = new NearestSpots(waypoints.points)
    this.order = new VisitOrder(waypoints.all.length)
  }

  /** Adds the next position. */
  *add(spot: Spot): Steps<void> {
    const { all, tree } = this.waypoints
    if (all.length === 0) return
    yield* this.nearest.add(spot)
    const { deviation, order } = this
    if (deviation === null) return
    const most = deviation * deviation
    const place = earthPoint(spot.latitude, spot.longitude)
    yield* tree.within(place, most, (waypoint, square) => {
      const isSure = square * LONGEST_WAY ** 2 <= most
      if (isSure || metresTo(all[waypoint]!, spot) <= deviation) order.note(waypoint)
    })
    yield* order.end()
  }

  *visits(): Steps<WaypointVisit[]> {
    const nearest = yield* this.nearest.all()
    const inOrder = this.order.inOrder()
    const visits: WaypointVisit[] = []
    for (const [index, waypoint] of this.waypoints.all.entries()) {
      const spot = nearest(index)
      visits.push({
        order: waypoint.order,
        nearestDistance: spot === null ? null : metresTo(waypoint, spot),
        time: spot?.time ?? null,
        isVisitedInOrder: this.deviation === null ? null : inOrder.has(index),
      })
      if (index % WAYPOINTS_AT_ONCE === 0) yield
    }
    return visits
  }
}

function metresTo({ location: [longitude, latitude] }: Waypoint, spot: Spot): number {
  return distanceMetres(latitude, longitude, spot.latitude, spot.longitude)
}
