import type { Silence } from '../../../base/domain/position/fold-state.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import {
  advanceSegments,
  beginStopAt,
  candidateAt,
  endTrip,
  joinUnbelieved,
} from './advance-segments.ts'
import { type Draft, silentTripDraft, stopDraft, tripDraft, visitDraft } from './drafts.ts'
import { isSamePlace, type PlaceIndex, type VisitedPlace } from './place-index.ts'
import {
  addCounts,
  addPlace,
  addPosition,
  type Checkpoint,
  copyOf,
  type OpenTrip,
  type OpenVisit,
  type Progress,
  type Sums,
  sumsFrom,
} from './progress.ts'

/**
 * Advances the records of an object by its next row. Adds the records that end to `ended`. Returns the
 * checkpoint of a stop if this row decides that it begins.
 */
export function advanceRecords(
  progress: Progress,
  places: PlaceIndex,
  row: TrackRow,
  ended: Draft[],
): Checkpoint | null {
  const { silence } = row
  progress.basis ??= row.odometer
  // Nothing has confirmed the suspect rows before a row that does not join them.
  if (!row.joins && progress.unbelieved !== null) progress.unbelieved.maxSpeed = -1
  const settled = silence === null ? null : endSilences(progress, silence, row, ended)
  advanceVisits(progress, places, row, ended)
  // A stop over a silence has the row already.
  const isPassed = silence !== null && silence.before !== null && progress.segment !== null
  const checkpoint = isPassed ? null : advanceSegments(progress, row, ended)
  progress.previous = row
  if (!row.isSuspect) progress.believed = row
  return checkpoint ?? settled
}

/** An absence ends a visit if it is longer than this. */
export const ABSENCE_MS = 2 * 60_000

/** Advances the visits by the next row. Adds those that end to `ended`. */
function advanceVisits(
  progress: Progress,
  places: PlaceIndex,
  row: TrackRow,
  ended: Draft[],
): void {
  const { visits } = progress
  if (row.isShown) for (const visit of visits) visit.positions += 1
  if (row.isSuspect) return
  const here = places.at(row.latitude, row.longitude)
  if (here.length === 0 && visits.length === 0) return

  let hasEnded = false
  for (const visit of visits) {
    if (here.some((place) => isSamePlace(place, visit))) {
      visit.inside = row.time
      visit.insideOdometer = row.odometer
      visit.insidePositions = visit.positions
      visit.outside = null
    } else {
      visit.outside ??= row.time
      if (!isOver(visit, row)) continue
      ended.push(visitDraft(visit, visit.outside))
      hasEnded = true
    }
  }
  if (hasEnded) progress.visits = visits.filter((visit) => !isOver(visit, row))
  for (const place of here) {
    if (visits.some((visit) => isSamePlace(place, visit))) continue
    progress.visits.push(beginVisit(place, row, progress.believed))
  }
}

function isOver({ inside, outside }: OpenVisit, { time }: TrackRow): boolean {
  return outside !== null && time - inside > ABSENCE_MS
}

function beginVisit(
  { placeType, place }: VisitedPlace,
  { time, odometer, isShown }: TrackRow,
  before: TrackRow | null,
): OpenVisit {
  const positions = isShown ? 1 : 0
  return {
    placeType,
    place,
    start: time,
    before: before?.time ?? null,
    startOdometer: odometer,
    inside: time,
    insideOdometer: odometer,
    insidePositions: positions,
    outside: null,
    positions,
    stored: null,
  }
}

/**
 * Ends the silences before a row, before its visits advance. Afterwards the segment is a stop that has the row
 * already, or null if the row begins another segment; without a silence directly before the row, it is a stop at
 * the row before. Returns the checkpoint of a stop if the row decides that it begins.
 */
function endSilences(
  progress: Progress,
  { before, confirms, beforeConfirmed }: Silence,
  row: TrackRow,
  ended: Draft[],
): Checkpoint | null {
  let checkpoint: Checkpoint | null = null
  // Without suspect rows, this is a derivation that began at the confirmed row, after the silent trip.
  if (beforeConfirmed && progress.unbelieved !== null) {
    const confirmed = progress.previous!
    passTrip(progress, confirmed, row, ended)
    progress.believed = confirmed
    checkpoint = beginStopAt(progress, candidateAt(progress, confirmed), row)
  } else if (confirms) {
    joinUnbelieved(progress)
    progress.believed = progress.previous
  }
  if (before === null) return checkpoint
  const settled =
    before === 'trip' ? passTrip(progress, row, row, ended) : passStop(progress, row, ended)
  return settled ?? checkpoint
}

/** A trip of its own from the believed row to `to`. */
function passTrip(
  progress: Progress,
  to: TrackRow,
  settling: TrackRow,
  ended: Draft[],
): Checkpoint | null {
  const { segment } = progress
  const from = progress.believed!
  // A trip that began there and had no leg yet becomes the silent one. No two trips start at one position.
  const isBegun = segment?.kind === 'trip' && segment.from.time === from.time
  const checkpoint = isBegun ? null : closeAt(progress, from, settling, ended)
  const sums = sumsFrom(from)
  addPosition(sums, from)
  addSilence(progress, sums, to)
  addPlace(sums, to)
  sums.silentTime = to.time - from.time
  const owner = isBegun ? segment : { stored: null }
  ended.push(silentTripDraft(from, sums, progress.basis, to, owner))
  progress.basis = to.odometer ?? progress.basis
  progress.segment = null
  return checkpoint
}

/** Ends what was under way at the believed row. */
function closeAt(
  progress: Progress,
  from: TrackRow,
  settling: TrackRow,
  ended: Draft[],
): Checkpoint | null {
  const { segment } = progress
  if (segment?.kind === 'trip' && segment.candidate === null) {
    endRolling(progress, segment, from, ended)
    return null
  }
  const checkpoint =
    segment?.kind === 'trip'
      ? endTrip(progress, segment, segment.candidate!, settling, ended)
      : null
  if (progress.segment?.kind === 'stop') ended.push(stopDraft(progress.segment, from.time, true))
  return checkpoint
}

/** A trip ends at a row at which it moved. One that only began there has no leg, and is not a trip. */
function endRolling(progress: Progress, trip: OpenTrip, at: TrackRow, ended: Draft[]): void {
  if (trip.from.time === at.time) return
  ended.push(tripDraft(trip, progress.basis, at))
  progress.basis = at.odometer ?? progress.basis
}

/** A stop over the silence: it continues, or begins at the believed row or before. */
function passStop(progress: Progress, row: TrackRow, ended: Draft[]): Checkpoint | null {
  const checkpoint = stopBefore(progress, row, ended)
  const { segment } = progress
  if (segment?.kind !== 'stop') throw new TypeError('the silence is part of a stop')
  addSilence(progress, segment.sums, row)
  addPlace(segment.sums, row)
  if (row.isActive) {
    ended.push(stopDraft(segment, row.time, true))
    progress.segment = null
  }
  return checkpoint
}

function stopBefore(progress: Progress, settling: TrackRow, ended: Draft[]): Checkpoint | null {
  const { segment } = progress
  if (segment?.kind !== 'trip') return null
  if (segment.candidate !== null) {
    return endTrip(progress, segment, segment.candidate, settling, ended)
  }
  const row = progress.believed!
  endRolling(progress, segment, row, ended)
  // Suspect rows since then have been counted in the visits, and in nothing else.
  const later = progress.unbelieved?.positions ?? 0
  const visits = copyOf(progress.visits).map((visit) => {
    return { ...visit, positions: visit.positions - later }
  })
  return beginStopAt(progress, { row, since: sumsFrom(row), visits }, settling)
}

/** Adds the rows of a silence after the believed one up to `to`. Its time is neither moving nor idle. */
function addSilence(progress: Progress, sums: Sums, to: TrackRow): void {
  const { previous, unbelieved } = progress
  if (unbelieved !== null) addCounts(sums, unbelieved)
  progress.unbelieved = null
  // The confirmed row itself is one of the suspect ones.
  if (to === previous) return
  sums.longestGap = Math.max(sums.longestGap, to.time - previous!.time)
  addPosition(sums, to)
}
