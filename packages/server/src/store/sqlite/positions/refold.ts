import type { FoldRules } from '../../../domain/position/fold-state.ts'
import { refoldSlice } from '../../../tracking/refold-slice.ts'
import { runAtOnce } from '../../../tracking/work.ts'
import type { PositionStore, Refolded } from '../../position-store.ts'
import type { Database } from '../database/database.ts'
import type { Noted } from '../tables.ts'
import { foldTables, type Mark, refoldMarks } from './fold-tables.ts'
import type { FoldTargets, FoldTargetWrite } from './fold-targets.ts'

/** Folds stored positions again in slices, with others writing in between. */
export function refolder(
  database: Database,
  targets: FoldTargets,
  noted: Noted,
): Pick<PositionStore, 'refold' | 'requestRefold'> {
  const { reader, writer } = database
  const marks = refoldMarks(writer)
  const shownMarks = refoldMarks(reader)
  const tables = { ...foldTables(writer), notes: targets.notes }

  function refoldOne(mark: Mark, write: FoldTargetWrite, rules: FoldRules): Refolded {
    const { organization, object, after } = mark
    const existing = write.find(object)
    const slice =
      existing === null
        ? null
        : runAtOnce(refoldSlice(tables, existing, after, write.change, rules))
    const unfinishedAfter = slice?.unfinishedAfter ?? null
    if (unfinishedAfter === null) marks.remove(mark)
    else marks.move(mark, unfinishedAfter)
    if (slice !== null) write.save(new Map([[object, slice.target]]))
    const finished = unfinishedAfter === null
    return { organization, object, positions: slice?.folded ?? 0, finished }
  }

  return {
    requestRefold: (subject, note) => database.write(() => noted(marks.setAll(subject), note)),
    async refold(subject, rules) {
      if (database.read(() => shownMarks.next(subject)) === null) return null
      return database.write((transaction) => {
        const mark = marks.next(subject)
        if (mark === null) return null
        return refoldOne(mark, targets.begin(transaction, mark.organization), rules)
      })
    },
  }
}
