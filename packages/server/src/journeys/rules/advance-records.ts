import type { TrackRow } from '../../tracking/track-row.ts'
import type { Draft } from './drafts.ts'
import { endSilences } from './ended-silences.ts'
import type { PlaceIndex } from './place-index.ts'
import type { Checkpoint, Progress } from './progress.ts'
import { advanceSegments } from './segments.ts'
import { advanceVisits } from './visits.ts'

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
  const settled = silence === null ? null : endSilences(progress, silence, row, ended)
  advanceVisits(progress, places, row, ended)
  // A stop over a silence has the row already.
  const isPassed = silence !== null && silence.before !== null && progress.segment !== null
  const checkpoint = isPassed ? null : advanceSegments(progress, row, ended)
  progress.previous = row
  if (!row.isSuspect) progress.believed = row
  return checkpoint ?? settled
}
