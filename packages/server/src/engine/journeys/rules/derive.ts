import type { TimeRange } from '../../../base/domain/time/time.ts'
import { type Work, waitFor } from '../../tracking/work.ts'
import { advanceRecords } from './advance-records.ts'
import { Book } from './book.ts'
import { deriveLate } from './derive-late.ts'
import { type Draft, openDrafts } from './drafts.ts'
import {
  BEFORE_ALL,
  CHUNK_ROWS,
  type Derivation,
  type Derived,
  FIRST_CHUNK_ROWS,
  noProgress,
  type Progress,
} from './progress.ts'

/**
 * Derives the records of an object whose rows were touched. Rows after the tail are read once. An earlier row is read
 * again with all rows between the stops before and after it.
 */
export function* derive(derivation: Derivation): Work<Derived> {
  const { touched, progress: before } = derivation
  // A change may concern the state of an object alone. The open records stay as they are stored.
  if (touched.length === 0)
    return { puts: [], deletes: [], progress: before, unfinished: [], rows: 0 }
  const book = new Book(derivation)
  const late = yield* deriveLate(derivation, book, before ?? noProgress())
  const { progress } = late
  const inOrder =
    late.unfinished.length > 0
      ? { rows: 0, unfinished: [] }
      : yield* deriveInOrder(derivation, book, progress, late.rows)
  return {
    ...book.close(progress),
    progress: progress.previous === null ? null : progress,
    unfinished: [...late.unfinished, ...inOrder.unfinished],
    rows: late.rows + inOrder.rows,
  }
}

/** Derives the touched rows after the progress. */
function* deriveInOrder(
  { source, places, limit, touched, pause }: Derivation,
  book: Book,
  progress: Progress,
  already: number,
): Work<{ rows: number; unfinished: TimeRange[] }> {
  const to = touched.reduce((last, range) => Math.max(last, range.to), BEFORE_ALL)
  let rows = 0
  let isDone = timeOf(progress) >= to
  if (isDone) return { rows, unfinished: [] }
  const drafts: Draft[] = []
  const { segment: open } = progress
  for (let size = FIRST_CHUNK_ROWS; !isDone && rows + already < limit; size = CHUNK_ROWS) {
    const chunk = yield* source.rows(timeOf(progress), size)
    isDone = chunk.length < size
    for (const row of chunk) {
      isDone ||= row.time >= to
      if (row.time > to) break
      advanceRecords(progress, places, row, drafts)
      rows += 1
      const paused = pause?.()
      if (paused) yield* waitFor(paused)
    }
  }
  for (const draft of drafts) book.put(draft)
  const isLeft = progress.segment === open || drafts.some(({ owner }) => owner === open)
  // Drop a trip that had no leg before a silence: it is not a trip.
  if (open?.kind === 'trip' && !isLeft) book.drop(open)
  for (const draft of openDrafts(progress)) book.put(draft)
  return { rows, unfinished: isDone ? [] : [{ from: timeOf(progress) + 1, to }] }
}

function timeOf({ previous }: Progress): number {
  return previous?.time ?? BEFORE_ALL
}
