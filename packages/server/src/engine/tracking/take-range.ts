import { withoutValues } from '../../base/domain/position/current-attributes.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import type { FoldRules, FoldState, Step } from '../../base/domain/position/fold-state.ts'
import { type ObjectState, UNSEEN } from '../../base/domain/position/object-state.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import { foldStateAt, stateWithout, withoutAll } from './derive-object-state.ts'
import type { FoldTarget, Tables } from './fold-tables.ts'
import { NO_SHIFTS } from './object-shifts.ts'
import { LATE_REACH, noteRow, type RefoldResult, refoldAfter } from './refold-after.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Work } from './work.ts'

type TakenRange = {
  target: FoldTarget
  /** In the order of their times. */
  fixes: Fix[]
}

/**
 * Takes positions of an object away from it: the newest ones of a range, at most `limit`. Its state, and its other positions,
 * are then as if these had never come; only its contact stays. Throws `UnreadablePositions`.
 */
export function* takeRange(
  tables: Tables,
  target: FoldTarget,
  range: TimeRange,
  limit: number,
  change: number,
  rules: FoldRules,
): Work<TakenRange> {
  const { positions, notes } = tables
  const { object, state, shifts } = target
  const owned: Owned = {
    ...{ organization: object.organization, object: object.id },
    ...{ shifts, names: state.attributes },
  }
  const taken: StoredPosition[] = []
  let next = state.fold === null ? null : yield* positions.before(owned, range.to + 1)
  while (next !== null && next.fix.timeDevice >= range.from && taken.length < limit) {
    taken.push(next)
    next = yield* positions.before(owned, next.fix.timeDevice)
  }
  if (taken.length === 0) return { target, fixes: [] }
  const gap = { from: taken.at(-1)!.fix.timeDevice, to: taken[0]!.fix.timeDevice }
  // Read before the rows go: a fold state points at positions.
  const kept = next === null ? keptForItsCounters(taken) : null
  const base = next ?? kept
  const before = base && (yield* foldStateAt(positions, owned, base))
  positions.remove(owned, gap)
  for (const { fix, hidden } of taken) {
    if (hidden === null) notes.position(object.id, fix.timeDevice)
    else notes.rewritten(object.id, fix.timeDevice)
  }
  const fixes = taken.map(({ fix }) => fix).reverse()
  const isLast = state.fold!.at <= gap.to
  const left = { owned, gap, taken, before }
  if (!isLast) return { target: yield* foldOn(tables, target, left, kept, change, rules), fixes }
  tables.shifts.replaceSince(owned, gap.from, [])
  return { target: yield* endingAt(tables, target, left, next), fixes }
}

/** The positions that were taken, their first and last moment, and the fold state before them: null if no position is older. */
type Left = {
  owned: Owned
  gap: TimeRange
  taken: readonly StoredPosition[]
  before: FoldState | null
}

/** The oldest position of an object, if retention has hidden it: it carries the counters of those before it. */
function keptForItsCounters(taken: readonly StoredPosition[]): StoredPosition | null {
  const oldest = taken.at(-1)!
  return oldest.hidden === null ? null : oldest
}

/** The object with `last` as its newest position. Null: it has none. */
function* endingAt(
  { positions }: Tables,
  target: FoldTarget,
  { owned, taken, before: fold }: Left,
  last: StoredPosition | null,
): Work<FoldTarget> {
  const { state, shifts } = target
  if (last === null) {
    const { timeServer } = state
    // Some values may be of positions that have expired.
    const attributes = withoutValues(withoutAll(state.attributes, taken))
    const unseen = { ...UNSEEN, timeServer, attributes }
    return { ...target, shifts: NO_SHIFTS, state: unseen, rules: null }
  }
  const before = shifts.before(last.fix.timeDevice + 1)
  const now: Owned = { ...owned, shifts: before }
  const ending = { fold, shift: null, turned: turnedOf(taken) }
  const after = yield* stateWithout(positions, now, withoutPlace(state, taken), ending, taken)
  return { ...target, shifts: before, state: after }
}

/** The object without the positions of the gap, and those after it folded again from the one before it. */
function* foldOn(
  tables: Tables,
  target: FoldTarget,
  { owned, gap, taken, before }: Left,
  kept: StoredPosition | null,
  change: number,
  rules: FoldRules,
): Work<FoldTarget> {
  const { positions } = tables
  const { object, state } = target
  const writing: Owned = { ...owned, shifts: owned.shifts.before(gap.from) }
  const turned: RefoldResult['turned'] = turnedOf(taken)
  let from = before
  if (from === null || kept !== null) {
    const [first] = yield* positions.after(owned, gap.to, 1)
    if (from !== null && kept !== null) {
      const { fix, step } = standIn(rules.advance, target, kept, from, first!)
      positions.insert(writing, fix, step, change, kept.isLate)
      from = step.fold
    } else {
      const step = rules.advance(null, object, first!.fix)
      positions.replace(writing, first!, first!.fix, step, change)
      noteRow(tables, object.id, first!, step)
      turned.push({ at: first!.fix.timeDevice, is: step.fold.motion })
      from = step.fold
    }
  }
  const refolded = yield* refoldAfter(tables, rules, {
    ...{ owned, object, from, since: gap.from, replaced: null, change },
    ...{ removedUpTo: gap.to, reach: LATE_REACH },
  })
  const { unfinishedAfter, shifts } = refolded
  if (unfinishedAfter !== null) {
    tables.refoldMarks.set(owned.organization, owned.object, unfinishedAfter)
  }
  const all = { ...refolded, turned: [...turned, ...refolded.turned] }
  const now: Owned = { ...owned, shifts }
  const after = yield* stateWithout(positions, now, withoutPlace(state, taken), all, taken)
  return { ...target, shifts, state: after }
}

/** A hidden row in place of one that is kept for its counters: it has these, and the place of the first position that stays. */
function standIn(
  advance: FoldRules['advance'],
  { object }: FoldTarget,
  { fix: erased, counters }: StoredPosition,
  { odometerReading, engineHoursReading }: FoldState,
  first: StoredPosition,
): { fix: Fix; step: Step } {
  const { timeDevice, timeServer, odometer, engineHours } = erased
  const fix = {
    ...{ ...first.fix, timeDevice, timeServer, odometer, engineHours },
    ...{ address: null, attributes: null },
  }
  const { fold } = advance(null, object, fix)
  const mileage = counters.mileage === null ? null : 0
  const carried = { ...counters, mileage, odometerReading, engineHoursReading }
  return { fix, step: { fold: { ...fold, ...carried }, hidden: true } }
}

function turnedOf(taken: readonly StoredPosition[]): RefoldResult['turned'] {
  return taken.map(({ fix }) => ({ at: fix.timeDevice, is: null }))
}

/** An address that was looked up for the place of a position goes with it. */
function withoutPlace(state: ObjectState, taken: readonly StoredPosition[]): ObjectState {
  const { address } = state
  const isOfTaken = ({ fix }: StoredPosition) =>
    fix.timeDevice === address?.at && fix.address === null
  return taken.some(isOfTaken) ? { ...state, address: null } : state
}
