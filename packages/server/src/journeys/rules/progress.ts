import type { OpenRecord, TripPoint, VisitedType } from '../../domain/record.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { addPosition, type Sums, sumsFrom } from './sums.ts'

/** How far the records of an object are derived: all that the rows behind need to know. Changed in place. */
export type Progress = {
  /** The newest row. Null: there was none. */
  previous: TrackRow | null
  /** The newest row that is not suspect. */
  believed: TrackRow | null
  /** The odometer at the end of the trip before; until the first trip ends, the first that is known. */
  basis: number | null
  segment: OpenTrip | OpenStop | null
  /** The sums of the suspect rows since `believed`. They join the segment, or a silence, at the next believed row. */
  unbelieved: Sums | null
  visits: OpenVisit[]
}

/** The state that an open record is drafted from. `stored`: the record as the tail has it. Null: it is not stored yet. */
export type Owner = { stored: OpenRecord | null }

export type OpenTrip = Owner & {
  readonly kind: 'trip'
  readonly from: TripPoint
  readonly sums: Sums
  /** When the object last moved in the sense of a trip. */
  activeAt: number
  /** The row at which the trip ends, unless the object soon moves again. */
  candidate: Candidate | null
}

/** A row that may be the end of a trip, with what was counted since then. */
export type Candidate = {
  readonly row: TrackRow
  readonly since: Sums
  /** The visits as of the row. */
  readonly visits: readonly OpenVisit[]
}

export type OpenStop = Owner & {
  readonly kind: 'stop'
  readonly checkpoint: Checkpoint
  readonly sums: Sums
}

/** The progress at the first row of a stop, so that a derivation can start there. */
export type Checkpoint = {
  /** The row that decided that the stop begins. A row up to there may move it. */
  readonly settledAt: number
  readonly basis: number | null
  readonly row: TrackRow
  readonly visits: readonly OpenVisit[]
}

export type OpenVisit = Owner & {
  readonly placeType: VisitedType
  readonly place: number
  start: number
  before: number | null
  startOdometer: number | null
  /** The newest row inside: its time, its odometer, and the shown rows up to it. */
  inside: number
  insideOdometer: number | null
  insidePositions: number
  /** The first row outside since then. */
  outside: number | null
  /** The shown rows up to the newest row. */
  positions: number
}

/** The progress of an object without rows. */
export function noProgress(): Progress {
  return {
    previous: null,
    believed: null,
    basis: null,
    segment: null,
    unbelieved: null,
    visits: [],
  }
}

/** The progress as of the first row of a stop. */
export function progressAt(checkpoint: Checkpoint): Progress {
  const { row, basis, visits } = checkpoint
  return {
    previous: row,
    believed: row,
    basis,
    segment: beginStop(checkpoint),
    unbelieved: null,
    visits: copyOf(visits),
  }
}

export function beginStop(checkpoint: Checkpoint): OpenStop {
  const sums = sumsFrom(checkpoint.row)
  addPosition(sums, checkpoint.row)
  return { kind: 'stop', checkpoint, sums, stored: null }
}

export function openOwners({ visits, segment }: Progress): (OpenVisit | OpenTrip | OpenStop)[] {
  return segment === null ? [...visits] : [...visits, segment]
}

export function copyOf(visits: readonly OpenVisit[]): OpenVisit[] {
  return visits.map((visit) => ({ ...visit }))
}
