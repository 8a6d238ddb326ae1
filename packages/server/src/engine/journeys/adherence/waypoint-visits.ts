import type { Steps } from '../../../base/domain/common/steps.ts'
import type { Waypoint } from '../../../base/domain/places/place.ts'
import type { Spot } from '../../../base/domain/position/fold-state.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { BoxTree, earthPoint, type Nearest } from './box-tree.ts'

export type WaypointVisit = {
  readonly order: number
  /** Meters between the waypoint and the nearest position. Null without a position. */
  readonly nearestDistance: number | null
  /** The time of that position. */
  readonly time: number | null
  /** Null if the route has no deviation, which says how near a visit is. */
  readonly isVisitedInOrder: boolean | null
}

/** A geodesic is at most this many times as long as the straight line: half a circle, with room for rounding. */
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

  /** `deviation`: meters. */
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

/** Positions gathered before each place looks for the nearest of them: 1 MB. */
const GATHERED = 16_384

/** Time, latitude and longitude. */
const SPOT_NUMBERS = 3

/** Finds the position nearest to each of some places: of several, the first one. */
export class NearestSpots {
  /** Three coordinates in space of each place. */
  private readonly places: Float64Array
  /** The square of the straight distance of each place to its nearest position, and that position. */
  private readonly squares: Float64Array
  private readonly found: Float64Array
  private readonly points = new Float64Array(GATHERED * 3)
  private readonly spots = new Float64Array(GATHERED * SPOT_NUMBERS)
  private gathered = 0

  constructor(places: Float64Array) {
    this.places = places
    this.squares = new Float64Array(places.length / 3).fill(Number.POSITIVE_INFINITY)
    this.found = new Float64Array(this.squares.length * SPOT_NUMBERS)
  }

  *add({ time, latitude, longitude }: Spot): Steps<void> {
    const { spots } = this
    const before = (this.gathered - 1) * SPOT_NUMBERS
    // An object that does not move has many positions in one place.
    if (spots[before + 1] === latitude && spots[before + 2] === longitude) return
    if (this.gathered === GATHERED) yield* this.compare()
    spots.set([time, latitude, longitude], this.gathered * SPOT_NUMBERS)
    this.points.set(earthPoint(latitude, longitude), this.gathered * 3)
    this.gathered += 1
  }

  /** Returns the nearest position of each place. Null: there was none. */
  *all(): Steps<(place: number) => Spot | null> {
    yield* this.compare()
    return (place) => {
      if (this.squares[place] === Number.POSITIVE_INFINITY) return null
      const [time, latitude, longitude] = this.found.subarray(place * SPOT_NUMBERS)
      return { time: time!, latitude: latitude!, longitude: longitude! }
    }
  }

  private *compare(): Steps<void> {
    const { places, squares, found, points, spots } = this
    if (this.gathered === 0) return
    const items = Uint32Array.from({ length: this.gathered }, (_, index) => index)
    this.gathered = 0
    const tree = yield* BoxTree.around({ points, items, span: 0 })
    for (let place = 0; place < squares.length; place += 1) {
      const nearest: Nearest = { square: squares[place]!, item: -1, part: 0 }
      const at = place * 3
      yield* tree.search([places[at]!, places[at + 1]!, places[at + 2]!], nearest)
      yield
      // One that is as near as an earlier one does not count.
      if (nearest.item === -1) continue
      squares[place] = nearest.square
      const spot = nearest.item * SPOT_NUMBERS
      found.set(spots.subarray(spot, spot + SPOT_NUMBERS), place * SPOT_NUMBERS)
    }
  }
}

/** Visits in the order of the waypoints and of time. A waypoint is known by its place in that order. */
type Chain = { readonly waypoint: number; readonly length: number; readonly before: Chain | null }

const WORD_BITS = 32

/** Finds the longest chain of visits in which waypoints and times ascend. */
class VisitOrder {
  /**
   * The longest chain that ends in each range of waypoints, as a Fenwick tree: entry n covers the waypoints up to n,
   * as many as the lowest set bit of n (P. M. Fenwick, A New Data Structure for Cumulative Frequency Tables, 1994).
   */
  private readonly longest: (Chain | null)[]
  /** One bit for each waypoint: whether this position visits it. `visitedBefore`: the same for the last position that visited any. */
  private visited: Uint32Array
  private isAnyVisited = false
  private visitedBefore: Uint32Array

  constructor(waypoints: number) {
    this.longest = new Array(waypoints + 1).fill(null)
    this.visited = new Uint32Array(Math.ceil(waypoints / WORD_BITS))
    this.visitedBefore = this.visited.slice()
  }

  /** Notes that the position visits a waypoint. */
  note(waypoint: number): void {
    this.isAnyVisited = true
    this.visited[waypoint >> 5]! |= 1 << (waypoint & 31)
  }

  /** Ends the position. */
  *end(): Generator<void, void> {
    const { visited, visitedBefore } = this
    // Without a visit, the longest chains stay as the last visits left them.
    if (!this.isAnyVisited) return
    this.isAnyVisited = false
    // Waypoints that were also visited before make no chain longer.
    if (visited.some((word, index) => (word & ~visitedBefore[index]!) !== 0)) {
      for (let index = 0; index < visited.length; index += 1) {
        for (let word = visited[index]!; word !== 0; word &= word - 1) {
          this.extend(index * WORD_BITS + 31 - Math.clz32(word & -word))
        }
        yield
      }
    }
    this.visitedBefore = visited
    this.visited = visitedBefore.fill(0)
  }

  /** The waypoints of the longest chain. */
  inOrder(): Set<number> {
    const found = new Set<number>()
    const all = this.longest.length - 1
    for (let chain = this.upTo(all); chain !== null; chain = chain.before) found.add(chain.waypoint)
    return found
  }

  private extend(waypoint: number): void {
    const before = this.upTo(waypoint)
    const chain = { waypoint, length: (before?.length ?? 0) + 1, before }
    for (let at = waypoint + 1; at < this.longest.length; at += at & -at) {
      if (isBetter(chain, this.longest[at]!)) this.longest[at] = chain
    }
  }

  /** The longest chain that ends at one of the first `count` waypoints: of several, that of the earliest waypoint. */
  private upTo(count: number): Chain | null {
    let best: Chain | null = null
    for (let at = count; at > 0; at -= at & -at) {
      const chain = this.longest[at]!
      if (chain !== null && isBetter(chain, best)) best = chain
    }
    return best
  }
}

function isBetter(chain: Chain, other: Chain | null): boolean {
  if (other === null || chain.length > other.length) return true
  return chain.length === other.length && chain.waypoint < other.waypoint
}
