import { addAll } from '../../base/domain/common/any-number.ts'
import type { FoldRules, FoldState, Step } from '../../base/domain/position/fold-state.ts'
import { foldStateAt, stateAfterRefold } from './derive-object-state.ts'
import type { FoldTarget, Positions, Tables } from './fold-tables.ts'
import { noteRow, type RefoldReach, type RefoldResult, refoldAfter } from './refold-after.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import { DAMAGED, unlessDamaged, type Work } from './work.ts'

/** A time before any position. */
export const BEGINNING = -1

/** Positions per transaction. Folding them takes a few milliseconds. */
export const SLICE_POSITIONS = 500

type RefoldedSlice = {
  target: FoldTarget
  /** Number of positions folded again. */
  folded: number
  /** The time after which to continue. Null: the fold is complete. */
  unfinishedAfter: number | null
}

/** Folds the next positions after `after` again, at most `limit`. Null if the object has no position there, or a damaged one. */
export function* refoldSlice(
  tables: Tables,
  existing: FoldTarget,
  after: number,
  limit: number,
  change: number,
  rules: FoldRules,
): Work<RefoldedSlice | null> {
  const reach: RefoldReach = { near: limit, far: limit, whole: true }
  const { positions } = tables
  const { object } = existing
  const { organization, id } = object
  const { shifts: before, state: known } = existing
  const owned: Owned = { organization, object: id, shifts: before, names: known.attributes }
  yield* positions.prepare(owned, after, limit)
  const from = yield* unlessDamaged(() => firstFrom(positions, owned, after))
  if (from === undefined || from === DAMAGED) return null
  // A hidden first position carries the counters of the positions that retention removed.
  const isTaken = from.fix.timeDevice <= after || from.hidden !== null
  const turned: RefoldResult['turned'] = []
  let fold: FoldState
  if (isTaken) {
    const taken = yield* unlessDamaged(() => foldStateAt(positions, owned, from))
    if (taken === DAMAGED) return null
    fold = taken
  } else {
    ;({ fold } = begin(tables, owned, existing, from, change, rules))
    turned.push({ at: fold.at, is: fold.motion })
  }
  const refolded = yield* refoldAfter(tables, rules, {
    owned,
    object,
    from: fold,
    since: isTaken ? fold.at + 1 : fold.at,
    replaced: null,
    change,
    reach,
  })
  addAll(refolded.turned, turned)
  const { shifts, passed, unfinishedAfter } = refolded
  const now: Owned = { ...owned, shifts }
  const state = yield* stateAfterRefold(positions, now, known, refolded, [], null)
  // The first position is folded before those that follow it.
  const folded = passed + turned.length
  return { target: { ...existing, state, shifts }, folded, unfinishedAfter }
}

/** The position at a time; if it was deleted since, the last one before it; or else the first one. */
function* firstFrom(positions: Positions, owned: Owned, time: number) {
  const at = time === BEGINNING ? null : yield* positions.before(owned, time + 1)
  return at ?? (yield* positions.after(owned, time, 1))[0]
}

/** The first position has no fold state before it. */
function begin(
  tables: Tables,
  owned: Owned,
  { object }: FoldTarget,
  first: StoredPosition,
  change: number,
  rules: FoldRules,
): Step {
  const step = rules.advance(null, object, first.fix)
  const writing = { ...owned, shifts: owned.shifts.before(first.fix.timeDevice) }
  tables.positions.replace(writing, first, first.fix, step, change)
  noteRow(tables, object.id, first, step)
  return step
}
