import type { Tracking } from '../../domain/track.ts'
import { refoldSlice } from '../folding/refold-slice.ts'
import { atOnce } from '../folding/work.ts'
import type { PositionStore, Refolded } from '../store.ts'
import type { Database } from './database.ts'
import { type Mark, refoldMarks } from './refold-marks.ts'
import { foldTables } from './tables.ts'
import type { TrackedObjects } from './tracked.ts'

/** Folds stored positions again in slices, with others writing in between. */
export function refolder(
  database: Database,
  tracked: TrackedObjects,
): Pick<PositionStore, 'refold' | 'requestRefold'> {
  const { reader, writer } = database
  const marks = refoldMarks(writer)
  const shownMarks = refoldMarks(reader)
  const tables = foldTables(writer)

  function refoldOne(mark: Mark, change: number, tracking: Tracking) {
    const { organization, object, after } = mark
    const mine = tracked.of(organization)
    const standing = mine.find(object)
    const slice =
      standing === null ? null : atOnce(refoldSlice(tables, standing, after, change, tracking))
    const unfinishedAfter = slice?.unfinishedAfter ?? null
    if (unfinishedAfter === null) marks.remove(mark)
    else marks.move(mark, unfinishedAfter)
    const finished = unfinishedAfter === null
    const result: Refolded = { organization, object, positions: slice?.folded ?? 0, finished }
    const touched = slice === null ? new Map() : new Map([[object, slice.tracked]])
    return { result, change: mine.save(touched, change) }
  }

  return {
    requestRefold: (scope) => database.write(() => marks.setAll(scope)),
    async refold(scope, tracking) {
      if (database.read(() => shownMarks.next(scope)) === null) return null
      return tracked.write((change) => {
        const mark = marks.next(scope)
        return mark === null ? { result: null, change: null } : refoldOne(mark, change, tracking)
      })
    },
  }
}
