import { runInTurns } from '../../../base/domain/common/slots.ts'
import type { Steps } from '../../../base/domain/common/steps.ts'
import type { TimeRange } from '../../../base/domain/time/time.ts'
import {
  committedAt,
  type ReaderView,
  type ReaderViews,
  visibleParts,
} from '../../store/change-log.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { RowReader } from '../row-reader.ts'
import type { RouteIndex } from './route-indexes.ts'
import type { Near } from './route-line.ts'
import { type WaypointVisit, WaypointVisits } from './waypoint-visits.ts'

/** Positions of one answer. */
export const MAX_POSITIONS = 1_000_000

/** A view holds one of few connections, so others get it after this many rows. */
const ROWS_OF_A_VIEW = 20_000

type Reading = {
  readonly organization: number
  readonly object: number
  readonly range: TimeRange
  /** Aborts when the client has left. */
  readonly gone: AbortSignal
}

/** `until`: the commit time of the newest change that all rows show. Null: the organization is gone. */
type ReadResult = { readonly isWhole: boolean; readonly until: number | null }

/**
 * Adds the rows of an object in a range; not all of them if there are more than `MAX_POSITIONS`. Each leg is read
 * at one moment, the whole range is not.
 */
export async function readAdherence(
  views: ReaderViews,
  reading: Reading,
  totals: AdherenceTotals,
  rowsOfAView: number = ROWS_OF_A_VIEW,
): Promise<ReadResult> {
  const { organization, range, gone } = reading
  let from = range.from
  let until: number | null = null
  for (let rows = 0; rows <= MAX_POSITIONS; ) {
    const part = await views.view(
      organization,
      async (view) => {
        until ??= await committedAt(view, view.asOf)
        return readPart(view, reading, from, rowsOfAView)
      },
      gone,
    )
    if (part === null) return { isWhole: true, until }
    await runInTurns(addAll(totals, part.rows), gone)
    if (part.next === null) return { isWhole: true, until }
    if (part.isCut) totals.breakOff()
    rows += part.rows.length - 1
    from = part.next
  }
  return { isWhole: false, until }
}

/**
 * `next`: the time of the row with which the next part starts. Null: this is the last part. `isCut`: no leg leads to the next
 * part, because a key sees no time between them.
 */
type Part = {
  readonly rows: readonly TrackRow[]
  readonly next: number | null
  readonly isCut?: boolean
}

async function readPart(
  view: ReaderView,
  { object, range, gone }: Reading,
  from: number,
  rowsOfAView: number,
): Promise<Part> {
  const rows: TrackRow[] = []
  const [part, following] = visibleParts(view, object, { from, to: range.to })
  if (part === undefined) return { rows, next: null }
  const cut = { rows, next: following?.from ?? null, isCut: true }
  for await (const chunk of new RowReader(view).from(object, part.from)) {
    for (const row of chunk) {
      if (row.time > part.to) return cut
      rows.push(row)
    }
    gone.throwIfAborted()
    if (rows.length < rowsOfAView) continue
    // The next part begins with the newest row that counts, so that both ends of each leg are read at one moment.
    const next = rows.findLast(({ isSuspect }) => !isSuspect)?.time ?? from
    if (next > from) return { rows, next }
  }
  return cut
}

/** Runs after the view has ended, because the work of a view may run twice. */
function* addAll(totals: AdherenceTotals, rows: readonly TrackRow[]): Steps<void> {
  for (const row of rows) {
    yield* totals.add(row)
    yield
  }
}

export type Adherence = {
  /** The distance driven, in mm. Null without an odometer. */
  readonly distance: number | null
  /** The part of it within the route's deviation, 0 to 1. Null without a deviation or a distance. */
  readonly shareInside: number | null
  readonly deviations: readonly Deviation[]
  readonly waypoints: readonly WaypointVisit[]
}

/** Compares where an object drove with a route, row by row. Rows that are not believed do not count. */
export class AdherenceTotals {
  private readonly route: RouteIndex
  private readonly deviations: Deviations | null
  private readonly waypoints: WaypointVisits
  private previous: { row: TrackRow; distance: number } | null = null
  /** The time of the newest row that counts. */
  private last: number | null = null
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

  /** The time of the newest row that counts. Null: no row counts so far. */
  get until(): number | null {
    return this.last
  }

  /** No leg and no deviation lead from the rows so far to the next one. */
  breakOff(): void {
    this.previous = null
    this.deviations?.end()
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
    this.last = row.time
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
  const isSilent = before !== null && before !== 'slow leg'
  return (beforeConfirmed ? newest - believed : 0) + (isSilent ? time - from : 0)
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

/** A time outside of the allowed deviation of a route. Times are ms since the epoch. */
export type Deviation = {
  /** The first and the last position outside. */
  readonly start: number
  readonly end: number
  /** The part of it in silences, ms: nobody knows where the object was. */
  readonly silentTime: number
  /** Meters from the route. */
  readonly greatestDistance: number
}

/** A return to the route ends a deviation if it lasts longer than this. */
const RETURN_MS = 2 * 60_000

type Opened = { -readonly [Field in keyof Deviation]: Deviation[Field] }

/** Collects the deviations of an object, position by position. There is at most one for each `RETURN_MS`. */
export class Deviations {
  private readonly deviation: number
  private readonly ended: Deviation[] = []
  private open: Opened | null = null
  /** The silences since the end of the open deviation. */
  private silentSince = 0

  /** `deviation`: meters. */
  constructor(deviation: number) {
    this.deviation = deviation
  }

  /** `distance`: meters from the route. `silentTime`: the part of the time since the position before in silences. */
  add(time: number, distance: number, silentTime: number): void {
    const { open } = this
    this.silentSince += silentTime
    if (distance > this.deviation) {
      if (open === null) {
        this.open = { start: time, end: time, silentTime: 0, greatestDistance: distance }
      } else {
        open.end = time
        open.silentTime += this.silentSince
        open.greatestDistance = Math.max(open.greatestDistance, distance)
      }
      this.silentSince = 0
    } else if (open !== null && time - open.end > RETURN_MS) {
      this.end()
    }
  }

  end(): void {
    if (this.open !== null) this.ended.push(this.open)
    this.open = null
    this.silentSince = 0
  }

  all(): Deviation[] {
    return this.open === null ? this.ended : [...this.ended, this.open]
  }
}
