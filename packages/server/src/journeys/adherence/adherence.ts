import type { Steps } from '../../domain/common/steps.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { type Deviation, Deviations } from './deviations.ts'
import type { RouteIndex } from './route-index.ts'
import type { Near } from './route-line.ts'
import { type WaypointVisit, WaypointVisits } from './waypoint-visits.ts'

export type Adherence = {
  /** The distance driven, in mm. Null without an odometer. */
  readonly distance: number | null
  /** The part of it within the route's deviation, 0 to 1. Null without a deviation or a distance. */
  readonly shareInside: number | null
  readonly deviations: readonly Deviation[]
  readonly waypoints: readonly WaypointVisit[]
}

/** Compares the way of an object with a route, row by row. Rows that are not believed do not count. */
export class AdherenceTotals {
  private readonly route: RouteIndex
  private readonly deviations: Deviations | null
  private readonly waypoints: WaypointVisits
  private previous: { row: TrackRow; distance: number } | null = null
  /** The time of the newest row of all. */
  private newest = 0
  private hasOdometer = false
  /** mm. */
  private driven = 0
  private inside = 0

  private readonly near: Near = { item: 0 }

  constructor(route: RouteIndex) {
    const { deviation, waypoints } = route
    this.route = route
    this.deviations = deviation === null ? null : new Deviations(deviation)
    this.waypoints = new WaypointVisits(waypoints, deviation)
  }

  /** The time of the newest row that counts. Null: there is none so far. */
  get until(): number | null {
    return this.previous?.row.time ?? null
  }

  /** Adds the next row. The newest one may come again, with other counters after a late fix. */
  *add(row: TrackRow): Steps<void> {
    const before = this.newest
    this.newest = row.time
    if (row.isSuspect) return
    const { previous } = this
    if (previous?.row.time === row.time) {
      previous.row = row
      return
    }
    this.hasOdometer ||= row.odometer !== null
    const { line } = this.route
    const distance = yield* line.distanceFrom(row.latitude, row.longitude, this.near)
    const silent = previous === null ? 0 : silentTime(previous.row.time, before, row)
    this.deviations?.add(row.time, distance, silent)
    yield* this.waypoints.add(row)
    if (previous !== null) this.addLeg(previous.row, row, previous.distance, distance)
    this.previous = { row, distance }
  }

  private addLeg(from: TrackRow, to: TrackRow, fromDistance: number, toDistance: number): void {
    if (from.odometer === null || to.odometer === null) return
    // Below zero only while the object is being folded again.
    const millimetres = Math.max(0, to.odometer - from.odometer)
    this.driven += millimetres
    const { deviation } = this.route
    if (deviation !== null)
      this.inside += millimetres * partInside(fromDistance, toDistance, deviation)
  }

  *result(): Steps<Adherence> {
    const { driven, inside } = this
    const { deviation } = this.route
    return {
      distance: this.hasOdometer ? driven : null,
      shareInside: deviation === null || driven === 0 ? null : inside / driven,
      deviations: this.deviations?.all() ?? [],
      waypoints: yield* this.waypoints.visits(),
    }
  }
}

/** The time in silences since the believed row before, ms. `newest`: the time of the row before, believed or not. */
function silentTime(believed: number, newest: number, { time, silence }: TrackRow): number {
  if (silence === null) return 0
  const { before, confirms, beforeConfirmed } = silence
  const from = confirms ? newest : believed
  return (beforeConfirmed ? newest - believed : 0) + (before === null ? 0 : time - from)
}

/**
 * The part of a leg within the deviation, 0 to 1, from the distances of its two ends. The distance between them is
 * taken to change evenly along the leg.
 */
function partInside(from: number, to: number, deviation: number): number {
  const [nearer, farther] = from < to ? [from, to] : [to, from]
  if (farther <= deviation) return 1
  return nearer > deviation ? 0 : (deviation - nearer) / (farther - nearer)
}
