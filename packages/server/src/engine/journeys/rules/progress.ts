import { MICRO } from '../../../base/domain/position/fix-record.ts'
import {
  type Box,
  KMH_PER_MM_PER_MS,
  type OpenRecord,
  type RecordDelete,
  type RecordPut,
  type SegmentSums,
  type StoredRecord,
  type TripPoint,
  type VisitedType,
} from '../../../base/domain/record.ts'
import type { TimeRange } from '../../../base/domain/time/time.ts'
import { MAX_SPEED_KMH } from '../../tracking/rules/not-driving.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import type { Work } from '../../tracking/work.ts'
import type { PlaceIndex } from './place-index.ts'

/** One object's rows and records, as a store reads them. */
export type RecordSource = {
  /** The rows later than `time`, in order, at most `limit`. */
  rows(after: number, limit: number): Work<readonly TrackRow[]>
  /** The newest stop with a checkpoint that starts before `time`. */
  stopBefore(time: number): Work<StoredRecord | null>
  /** The records that start at `time` or later, end there or later, or are open, in any order. */
  recordsFrom(time: number): Work<readonly StoredRecord[]>
}

export type Derivation = {
  readonly source: RecordSource
  /** The progress of the last derivation, which this one changes in place. Null: there was none. */
  readonly progress: Progress | null
  /**
   * The times of rows that were added or changed since then, those from which on counters shifted, and those
   * that an edited place may concern. The derivation reads no row after the last of them.
   */
  readonly touched: readonly TimeRange[]
  readonly places: PlaceIndex
  /** Returns an id that no record of the organization has. */
  readonly nextId: () => number
  /** The time that changed records get. */
  readonly now: number
  /** A promise to await before the next row, so that others run. Null: it is not their turn yet. */
  readonly pause?: () => Promise<void> | null
  /** The derivation ends after about this many rows, as soon as it can be continued. */
  readonly limit: number
}

export type Derived = {
  readonly puts: RecordPut[]
  readonly deletes: RecordDelete[]
  /** Null: the object has no rows. */
  readonly progress: Progress | null
  /** The ranges that are left for another derivation. */
  readonly unfinished: TimeRange[]
  /** The number of rows derived. */
  readonly rows: number
}

/** A time before any row. */
export const BEFORE_ALL = -1

/** The longest read. The first one is short, because most derivations need a row or two. */
export const CHUNK_ROWS = 500

export const FIRST_CHUNK_ROWS = 16

/** How far the records of an object are derived: all that later rows need. Changed in place. */
export type Progress = {
  /** The newest row. Null: there was none. */
  previous: TrackRow | null
  /** The newest row that is not suspect. */
  believed: TrackRow | null
  /** The odometer at the end of the trip before; until the first trip ends, the first that is known. */
  basis: number | null
  segment: OpenTrip | OpenStop | null
  /**
   * The sums of the suspect rows since `believed`. They join the segment, or a silence, at the next believed row, which
   * shows whether their speeds count.
   */
  unbelieved: Sums | null
  visits: OpenVisit[]
}

/** The state that an open record is drafted from. `stored`: the record as the tail has it. Null: it is not stored yet. */
export type Owner = { stored: OpenRecord | null }

export type OpenTrip = Owner & {
  readonly kind: 'trip'
  readonly from: TripPoint
  readonly sums: Sums
  /** When the object last moved, by the rules of trips. */
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

/** The counts of a segment so far. Each row changes them in place. */
export type Sums = {
  movingTime: number
  idleTime: number
  silentTime: number
  /** -1: no speed was believed. */
  maxSpeed: number
  /** km/h, of the legs that counted. -1: none of them was long enough. */
  maxPace: number
  positions: number
  longestGap: number
} & { -readonly [Side in keyof Box]: number }

/** Sums of rows after one at this place. */
export function sumsFrom({ latitude, longitude }: Pick<TrackRow, 'latitude' | 'longitude'>): Sums {
  return {
    movingTime: 0,
    idleTime: 0,
    silentTime: 0,
    maxSpeed: -1,
    maxPace: -1,
    positions: 0,
    longestGap: 0,
    west: longitude,
    south: latitude,
    east: longitude,
    north: latitude,
  }
}

/** Counts a row itself, without the time before it. */
export function addPosition(sums: Sums, { isShown, speed }: TrackRow): void {
  if (isShown) sums.positions += 1
  if (speed !== null && speed > sums.maxSpeed) sums.maxSpeed = speed
}

/** Counts a row and the time since the row before it, which belongs to the motion there. */
export function addRow(sums: Sums, previous: TrackRow, row: TrackRow): void {
  const time = row.time - previous.time
  if (previous.motion === 'moving') sums.movingTime += time
  else if (previous.motion === 'idle') sums.idleTime += time
  if (time > sums.longestGap) sums.longestGap = time
  addPosition(sums, row)
  // The pace counts only without speeds.
  if (sums.maxSpeed < 0) addPace(sums, previous, row)
  if (!row.isSuspect) addPlace(sums, row)
}

/** Shorter legs have the errors of both places, and of both times. */
const MIN_PACE_MS = 30_000

/** Counts the pace of the way that is counted at a row, since the position up to which distance was counted before. */
export function addPace(sums: Sums, previous: TrackRow, row: TrackRow): void {
  const way = (row.odometer ?? 0) - (previous.odometer ?? row.odometer ?? 0)
  const time = row.time - (row.joins ? previous.time : previous.anchorAt)
  if (way <= 0 || time <= MIN_PACE_MS || row.isSuspect) return
  const pace = (way / time) * KMH_PER_MM_PER_MS
  // As packed.
  sums.maxPace = Math.max(sums.maxPace, Math.round(pace * MICRO) / MICRO)
}

/** The highest speed, km/h: without any, the highest pace. Null if neither is known. */
export function highestSpeed({ maxSpeed, maxPace }: Sums): number | null {
  const highest = maxSpeed < 0 ? Math.min(maxPace, MAX_SPEED_KMH) : maxSpeed
  return highest < 0 ? null : highest
}

export function addPlace(sums: Sums, { latitude, longitude }: TrackRow): void {
  if (longitude < sums.west) sums.west = longitude
  if (longitude > sums.east) sums.east = longitude
  if (latitude < sums.south) sums.south = latitude
  if (latitude > sums.north) sums.north = latitude
}

/** Adds the sums of the rows that follow. */
export function addSums(sums: Sums, later: Sums): void {
  sums.movingTime += later.movingTime
  sums.idleTime += later.idleTime
  sums.silentTime += later.silentTime
  addCounts(sums, later)
}

/** Adds the sums of rows that follow, without their times. */
export function addCounts(sums: Sums, later: Sums): void {
  sums.maxSpeed = Math.max(sums.maxSpeed, later.maxSpeed)
  sums.maxPace = Math.max(sums.maxPace, later.maxPace)
  sums.positions += later.positions
  sums.longestGap = Math.max(sums.longestGap, later.longestGap)
  sums.west = Math.min(sums.west, later.west)
  sums.south = Math.min(sums.south, later.south)
  sums.east = Math.max(sums.east, later.east)
  sums.north = Math.max(sums.north, later.north)
}

export function segmentSums({ west, south, east, north, ...sums }: Sums): SegmentSums {
  const { idleTime, positions, longestGap } = sums
  return { idleTime, positions, longestGap, box: { west, south, east, north } }
}
