import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { isTripOver } from '../../tracking/rules/trip-end.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { type Draft, stopDraft, tripDraft, tripPoint } from './drafts.ts'
import {
  addPosition,
  addRow,
  addSums,
  beginStop,
  type Candidate,
  type Checkpoint,
  copyOf,
  type OpenStop,
  type OpenTrip,
  type Progress,
  sumsFrom,
} from './progress.ts'

/**
 * Advances the trips and stops by the next row. Adds those that end to `ended`. Returns the checkpoint of a
 * stop if this row decides that it begins. The visits must have been advanced.
 */
export function advanceSegments(
  progress: Progress,
  row: TrackRow,
  ended: Draft[],
): Checkpoint | null {
  const { segment, previous } = progress
  if (segment === null || previous === null) return beginAt(progress, row)
  if (row.isSuspect) {
    holdBack(progress, previous, row)
    return null
  }
  joinUnbelieved(progress)
  if (segment.kind === 'trip') return advanceTrip(progress, segment, previous, row, ended)
  if (row.isActive) {
    ended.push(stopDraft(segment, previous.time, true))
    progress.segment = tripSince(progress, previous, row)
  } else {
    addRow(segment.sums, previous, row)
  }
  return null
}

/** Begins with the first row, or with one that ended a silence. */
function beginAt(progress: Progress, row: TrackRow): Checkpoint | null {
  if (!row.isActive) return beginStopAt(progress, candidateAt(progress, row), row)
  const sums = sumsFrom(row)
  addPosition(sums, row)
  const { time: activeAt } = row
  const candidate = candidateUnlessMoving(progress, row)
  progress.segment = { kind: 'trip', from: tripPoint(row), sums, activeAt, candidate, stored: null }
  return null
}

/** Holds a suspect row back until a believed row decides whether it is within a silence. */
function holdBack(progress: Progress, previous: TrackRow, row: TrackRow): void {
  progress.unbelieved ??= sumsFrom(progress.believed ?? previous)
  addRow(progress.unbelieved, previous, row)
}

/** Adds the suspect rows outside of silences to the segment. */
export function joinUnbelieved(progress: Progress): void {
  const { segment, unbelieved } = progress
  if (segment === null || unbelieved === null) return
  const isWaiting = segment.kind === 'trip' && segment.candidate !== null
  addSums(isWaiting ? segment.candidate!.since : segment.sums, unbelieved)
  progress.unbelieved = null
}

function advanceTrip(
  progress: Progress,
  trip: OpenTrip,
  previous: TrackRow,
  row: TrackRow,
  ended: Draft[],
): Checkpoint | null {
  const { candidate } = trip
  if (row.isActive) {
    if (candidate !== null && isTripOver(trip.activeAt, true, row.time)) {
      return endTwice(progress, trip, candidate, row, ended)
    }
    if (candidate !== null) addSums(trip.sums, candidate.since)
    addRow(trip.sums, previous, row)
    trip.activeAt = row.time
    trip.candidate = candidateUnlessMoving(progress, row)
    return null
  }
  addRow(candidate?.since ?? trip.sums, previous, row)
  if (candidate === null) {
    trip.candidate = candidateUnlessMoving(progress, row)
  } else if (isTrailingLegCounted(previous, row)) {
    addSums(trip.sums, candidate.since)
    trip.candidate = candidateAt(progress, row)
  }
  if (trip.candidate === null || !isTripOver(trip.activeAt, true, row.time)) return null
  return endTrip(progress, trip, trip.candidate, row, ended)
}

/** The row ends the trip, and begins the next one after a stop that no row showed to last. */
function endTwice(
  progress: Progress,
  trip: OpenTrip,
  candidate: Candidate,
  row: TrackRow,
  ended: Draft[],
): Checkpoint {
  const previous = progress.previous!
  const checkpoint = endTrip(progress, trip, candidate, row, ended)
  ended.push(stopDraft(progress.segment as OpenStop, previous.time, true))
  progress.segment = tripSince(progress, previous, row)
  return checkpoint
}

export function endTrip(
  progress: Progress,
  trip: OpenTrip,
  candidate: Candidate,
  row: TrackRow,
  ended: Draft[],
): Checkpoint {
  ended.push(tripDraft(trip, progress.basis, candidate.row))
  progress.basis = candidate.row.odometer ?? progress.basis
  return beginStopAt(progress, candidate, row)
}

export function beginStopAt(
  progress: Progress,
  candidate: Candidate,
  settling: TrackRow,
): Checkpoint {
  const { row, visits, since } = candidate
  const { basis } = progress
  const checkpoint: Checkpoint = { settledAt: settling.time, basis, row, visits }
  const stop = beginStop(checkpoint)
  addSums(stop.sums, since)
  progress.segment = stop
  return checkpoint
}

/** A trip that starts at a stationary row and moves at the next one. */
function tripSince(progress: Progress, start: TrackRow, row: TrackRow): OpenTrip {
  const place = start.isSuspect ? nearer(row, start, progress.believed ?? start) : start
  const sums = sumsFrom(place)
  addPosition(sums, start.isSuspect && !row.joins ? { ...start, speed: null } : start)
  addRow(sums, start, row)
  return {
    kind: 'trip',
    from: tripPoint(start, place),
    sums,
    activeAt: row.time,
    candidate: candidateUnlessMoving(progress, row),
    stored: null,
  }
}

/** A suspect row is where the object was if the next row confirms it. */
function nearer(to: TrackRow, a: TrackRow, b: TrackRow): TrackRow {
  return metres(a, to) < metres(b, to) ? a : b
}

function metres(a: TrackRow, b: TrackRow): number {
  return distanceMetres(a.latitude, a.longitude, b.latitude, b.longitude)
}

function candidateUnlessMoving(progress: Progress, row: TrackRow): Candidate | null {
  return row.motion === 'moving' ? null : candidateAt(progress, row)
}

export function candidateAt({ visits }: Progress, row: TrackRow): Candidate {
  return { row, since: sumsFrom(row), visits: copyOf(visits) }
}

/** Whether the last leg of a trip, which is counted when its end is certain, is counted here. */
function isTrailingLegCounted(previous: TrackRow, row: TrackRow): boolean {
  return previous.hasMoved && !row.hasMoved && (row.odometer ?? 0) > (previous.odometer ?? 0)
}
