import type { DerivedRecord, Trip, TripPoint, Visit } from '../../../base/domain/record.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { isSamePlace } from './place-index.ts'
import type { Checkpoint, OpenVisit, Progress } from './progress.ts'

/**
 * The difference that an earlier change makes to all that follows the start of a stop: the amounts that are added to
 * its counters, and the visits under way at that moment.
 */
export type Move = {
  /** The start of the stop. */
  readonly at: number
  /** mm, ms. */
  readonly odometer: number
  readonly engineHours: number
  readonly visits: readonly { was: OpenVisit; is: OpenVisit }[]
}

/**
 * Compares the checkpoints of one stop before and after a derivation. Null if more changed than a move, so
 * that the rows that follow have to be derived again.
 */
export function moveBetween(was: Checkpoint, is: Checkpoint): Move | null {
  const odometer = difference(is.row.odometer, was.row.odometer)
  const engineHours = difference(is.row.engineHours, was.row.engineHours)
  if (odometer === null || engineHours === null) return null
  if (difference(is.basis, was.basis) !== (was.basis === null ? 0 : odometer)) return null
  if (!isSameRow(was.row, is.row) || was.visits.length !== is.visits.length) return null
  const visits: { was: OpenVisit; is: OpenVisit }[] = []
  for (const visit of was.visits) {
    const same = is.visits.find((other) => isSamePlace(other, visit))
    if (same === undefined || !goesOnAlike(visit, same, odometer)) return null
    visits.push({ was: visit, is: same })
  }
  return { at: is.row.time, odometer, engineHours, visits }
}

/** 0 if neither is known, null if only one of them is. */
function difference(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a === b ? 0 : null
  return a - b
}

/** Counters aside. */
function isSameRow(a: TrackRow, b: TrackRow): boolean {
  return (
    a.time === b.time &&
    a.latitude === b.latitude &&
    a.longitude === b.longitude &&
    a.address === b.address &&
    a.motion === b.motion &&
    a.hasMoved === b.hasMoved &&
    a.anchorAt === b.anchorAt &&
    a.isShown === b.isShown &&
    a.speed === b.speed
  )
}

/** Whether the same rows extend and end both visits. */
function goesOnAlike(was: OpenVisit, is: OpenVisit, odometer: number): boolean {
  return (
    was.inside === is.inside &&
    was.outside === is.outside &&
    was.positions - was.insidePositions === is.positions - is.insidePositions &&
    (was.startOdometer === null) === (is.startOdometer === null) &&
    difference(is.insideOdometer, was.insideOdometer) ===
      (was.insideOdometer === null ? 0 : odometer)
  )
}

export function isStill({ odometer, engineHours, visits }: Move): boolean {
  return odometer === 0 && engineHours === 0 && visits.every(({ was, is }) => isSameVisit(was, is))
}

function isSameVisit(a: OpenVisit, b: OpenVisit): boolean {
  return (
    a.start === b.start &&
    a.before === b.before &&
    a.startOdometer === b.startOdometer &&
    a.positions === b.positions
  )
}

/** A record that starts after the moved moment. */
export function movedRecord(move: Move, record: DerivedRecord): DerivedRecord {
  return record.kind === 'trip' ? movedTrip(move, record) : record
}

function movedTrip(move: Move, trip: Trip): Trip {
  if (move.odometer === 0 && move.engineHours === 0) return trip
  const { from, to } = trip
  return { ...trip, from: withCounters(move, from), to: to && withCounters(move, to) }
}

/** The stored visit that was under way at the moved moment. */
export function movedVisit(move: Move, visit: Visit, was: OpenVisit, is: OpenVisit): Visit {
  const { start, before } = is
  const further = (was.startOdometer ?? 0) + move.odometer - (is.startOdometer ?? 0)
  return {
    ...visit,
    start,
    before,
    distance: visit.distance === null ? null : visit.distance + further,
    positions: visit.positions + is.positions - was.positions,
  }
}

/** A checkpoint after the moved moment. */
export function movedCheckpoint(move: Move, checkpoint: Checkpoint): Checkpoint {
  const { row, basis, visits } = checkpoint
  return {
    ...checkpoint,
    row: withCounters(move, row),
    basis: plus(basis, move.odometer),
    visits: visits.map((visit) => movedOpenVisit(move, visit)),
  }
}

/** Moves the progress at the newest row. */
export function movedProgress(move: Move, progress: Progress): Progress {
  const { previous, believed, basis, segment, unbelieved, visits } = progress
  const moved: Progress = {
    previous: previous && withCounters(move, previous),
    believed: believed && withCounters(move, believed),
    basis: plus(basis, move.odometer),
    segment,
    unbelieved,
    visits: visits.map((visit) => movedOpenVisit(move, visit)),
  }
  if (segment?.kind === 'stop') {
    moved.segment = { ...segment, checkpoint: movedCheckpoint(move, segment.checkpoint) }
  } else if (segment?.kind === 'trip') {
    const { from, candidate } = segment
    moved.segment = {
      ...segment,
      from: withCounters(move, from),
      candidate: candidate && {
        ...candidate,
        row: withCounters(move, candidate.row),
        visits: candidate.visits.map((visit) => movedOpenVisit(move, visit)),
      },
    }
  }
  return moved
}

function movedOpenVisit({ odometer, visits }: Move, visit: OpenVisit): OpenVisit {
  const moved = {
    ...visit,
    startOdometer: plus(visit.startOdometer, odometer),
    insideOdometer: plus(visit.insideOdometer, odometer),
  }
  const under = visits.find(({ was }) => was.start === visit.start && isSamePlace(was, visit))
  if (under === undefined) return moved
  const { was, is } = under
  const more = is.positions - was.positions
  return {
    ...moved,
    start: is.start,
    before: is.before,
    startOdometer: is.startOdometer,
    insidePositions: visit.insidePositions + more,
    positions: visit.positions + more,
  }
}

function withCounters<T extends Pick<TripPoint, 'odometer' | 'engineHours'>>(
  { odometer, engineHours }: Move,
  point: T,
): T {
  return {
    ...point,
    odometer: plus(point.odometer, odometer),
    engineHours: plus(point.engineHours, engineHours),
  }
}

function plus(value: number | null, by: number): number | null {
  return value === null ? null : value + by
}
