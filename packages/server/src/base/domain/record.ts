import { formatInstant, HOUR_MS, type TimeRange } from './time/time.ts'

/*
 * Records: what the server derives from an object's positions, places and settings. Times are milliseconds
 * since the epoch, durations ms, distances and odometers whole mm, engine hours ms, speeds km/h.
 * The console imports this file: what it imports must run in a browser.
 */

export type DerivedRecord = Trip | Stop | Visit | LevelChange

export type RecordKind = DerivedRecord['kind']

/** All records have a start, an end and the time up to which they are counted. */
type Span = {
  /** Null while the record is under way. */
  readonly end: number | null
  /** The time of the last position that counts: the end, or the newest one so far. */
  readonly until: number
}

/** A position at which a trip starts or ends. */
export type TripPoint = {
  readonly time: number
  readonly latitude: number
  readonly longitude: number
  /** The address that the position itself brought. */
  readonly address: string | null
  readonly odometer: number | null
  readonly engineHours: number | null
}

/** The counts of a trip or a stop. The time between two positions belongs to the motion at the earlier one. */
export type SegmentSums = {
  readonly idleTime: number
  /** Positions that the history shows, from the start to the end, both included. */
  readonly positions: number
  /** The longest time between two stored positions. */
  readonly longestGap: number
  /** Contains every believed position, so that an edited place finds the segments that it concerns. */
  readonly box: Box
}

/** Degrees. A segment across the antimeridian has a box around the whole globe. */
export type Box = {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export type Trip = Span &
  SegmentSums & {
    readonly kind: 'trip'
    readonly start: number
    readonly from: TripPoint
    /** Null while the trip is under way. */
    readonly to: TripPoint | null
    /**
     * The odometer at the end, or so far, minus the one at the end of the trip before. Null without an
     * odometer. Below zero only while an object is being folded again.
     */
    readonly distance: number | null
    readonly movingTime: number
    /** The whole duration of a silent trip, which has neither moving nor idle time. Of others 0. */
    readonly silentTime: number
    /** Never below the average. Null if neither a speed nor a pace is known. */
    readonly maxSpeed: number | null
  }

export const KMH_PER_MM_PER_MS = 3.6

/** km/h. Null if the distance or the duration is missing. */
export function averageSpeed({
  start,
  until,
  distance,
}: Pick<Trip, 'start' | 'until' | 'distance'>): number | null {
  if (distance === null || until === start) return null
  return (Math.max(0, distance) / (until - start)) * KMH_PER_MM_PER_MS
}

/** Where something began: its first position, and the places that contain it, by id. */
type Begun = {
  readonly start: number
  readonly latitude: number
  readonly longitude: number
  /** The address that the position itself brought. */
  readonly address: string | null
  readonly geofences: readonly number[]
  readonly sites: readonly number[]
}

export type Stop = Span & SegmentSums & Begun & { readonly kind: 'stop' }

/**
 * A rise or a fall of a level, such as refueling, from the last position before it to the first one after
 * it. It always has an end.
 */
export type LevelChange = Span &
  SegmentSums &
  Begun & {
    readonly kind: 'level'
    /** The id of the attribute. */
    readonly attribute: number
    readonly change: 'filled' | 'drained'
    /** Whole units of 10^-decimals. */
    readonly amount: number
    readonly before: number
    readonly after: number
    /** The times of the first and the last position from whose values these numbers come. */
    readonly reach: TimeRange
    readonly decimals: number
    /** Whether later positions, not only late ones, may move it or take it back. */
    readonly isOpen: boolean
  }

/** The types of places that have visits. */
export type VisitedType = 'geofence' | 'site'

export type Visit = Span & {
  readonly kind: 'visit'
  readonly placeType: VisitedType
  readonly place: number
  /** The first position inside. `end` is the last one. */
  readonly start: number
  /** The positions outside that bound the visit. Null: there is none. */
  readonly before: number | null
  readonly after: number | null
  /** The odometer at the last position inside minus the one at the first. See `Trip.distance`. */
  readonly distance: number | null
  readonly positions: number
}

/** A record of one object as it is stored. */
export type StoredRecord = {
  readonly id: number
  readonly revision: number
  readonly updatedAt: number
  readonly record: DerivedRecord
  /**
   * A derivation can start at the first position of a stop, or after a change of level, with these bytes. Null for the
   * others.
   */
  readonly checkpoint: Uint8Array | null
}

/** Identifies a record among those of its object. `place`: that of a visit, the attribute of a level, otherwise 0. */
export type RecordKey = {
  readonly kind: StoredKind
  readonly start: number
  readonly place: number
}

/** The kinds as a table has them: visits by the type of their places. */
export const STORED_KIND = { trip: 1, stop: 2, geofence: 3, site: 4, level: 5 } as const
export type StoredKind = (typeof STORED_KIND)[keyof typeof STORED_KIND]

export function keyOf(record: DerivedRecord): RecordKey {
  const { kind, start } = record
  if (kind === 'level') return { kind: STORED_KIND.level, start, place: record.attribute }
  if (kind !== 'visit') return { kind: STORED_KIND[kind], start, place: 0 }
  return { kind: STORED_KIND[record.placeType], start, place: record.place }
}

/** From the first position of a record to the last one that counts. */
export type Extent = Pick<DerivedRecord, 'start' | 'until'>

/** The extent of a record, of a change of level with its reach. */
export type Reaching = Extent & Partial<Pick<LevelChange, 'reach'>>

/** The extent of the positions that a reader must see to see a record. */
export function neededExtent({ start, until, reach }: Reaching): Extent {
  return reach === undefined ? { start, until } : { start: reach.from, until: reach.to }
}

/** A record to write. */
export type RecordPut = StoredRecord & {
  /**
   * The extent that this record has so far; kind and place stay. Null: the record is new. The row of another record of
   * this derivation may be at its start until that one is moved or deleted.
   */
  readonly before: Reaching | null
  /** False: only the checkpoint changed, which no reader sees. */
  readonly isChanged: boolean
  /** The tail of the object has all that changed, so that the row may stay as it is. */
  readonly isInTail: boolean
}

/**
 * How far a record under way has come. It is in the tail of its object, which each derivation writes in any case, and
 * replaces what the row of the record says of it.
 */
export type OpenRecord = {
  readonly id: number
  readonly revision: number
  readonly updatedAt: number
  /** As in `PackedRecord`. */
  readonly fields: Uint8Array
}

/** A record to delete. */
export type RecordDelete = RecordKey & Reaching & { readonly id: number }

/**
 * The time of the newest signal, if no signal has come for longer than the limit, as of `now`. Null: the object still
 * has a signal. All in milliseconds.
 */
export function noSignalSince(newest: number, timeoutMs: number, now: number): number | null {
  return now - newest > timeoutMs ? newest : null
}

/** The fields of a trip or stop, as answers have them, that contain its newest position. */
type Lasting = { start_time: string; end_time: string | null; duration: number }

/**
 * Since when an open trip or stop has had no new position, if that is longer than the organization's limit for a signal.
 * A trip stays open until the next position, however long that takes, so only the clock of the reader shows it. A visit
 * is as long as the object is inside, and its newest position may be one outside, so it has no such time.
 */
export function recordWithoutSignalSince(
  { start_time, end_time, duration }: Lasting,
  now: number,
  timeoutHours: number,
): string | null {
  if (end_time !== null) return null
  const newest = Date.parse(start_time) + duration * 1_000
  const since = noSignalSince(newest, timeoutHours * HOUR_MS, now)
  return since === null ? null : formatInstant(since)
}
