import type { TrackRow } from '../../tracking/track-row.ts'
import { type Draft, visitDraft } from './drafts.ts'
import { isSamePlace, type PlaceIndex, type VisitedPlace } from './place-index.ts'
import type { OpenVisit, Progress } from './progress.ts'

/** An absence ends a visit if it is longer than this. */
export const ABSENCE_MS = 2 * 60_000

/** Advances the visits by the next row. Adds those that end to `ended`. */
export function advanceVisits(
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
