import type { Fix } from '../../base/domain/position/fix.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import { NO_SHIFTS } from './object-shifts.ts'
import { foldStateAt, stateAfterRefold, withoutAll } from './object-state.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { FoldTarget, Tables } from './tables.ts'
import type { Work } from './work.ts'

type TakenTail = {
  target: FoldTarget
  /** In the order of their times. */
  fixes: Fix[]
}

/**
 * Takes the newest positions of an object away from it: those of `since` or later, at most `limit`. Its state is then that of its
 * last remaining position, as if the others had never come; only its contact stays. Throws `UnreadablePositions`.
 */
export function* takeTail(
  tables: Tables,
  target: FoldTarget,
  since: number,
  limit: number,
): Work<TakenTail> {
  const { positions, notes } = tables
  const { object, state, shifts } = target
  const owned: Owned = {
    ...{ organization: object.organization, object: object.id },
    ...{ shifts, names: state.attributes },
  }
  const taken: StoredPosition[] = []
  let next = state.fold === null ? null : yield* positions.before(owned, state.fold.at + 1)
  while (next !== null && next.fix.timeDevice >= since && taken.length < limit) {
    taken.push(next)
    next = yield* positions.before(owned, next.fix.timeDevice)
  }
  if (taken.length === 0) return { target, fixes: [] }
  const first = taken.at(-1)!.fix.timeDevice
  tables.shifts.replaceSince(owned, first, [])
  positions.removeSince(owned, first)
  for (const { fix, hidden } of taken) {
    if (hidden === null) notes.position(object.id, fix.timeDevice)
    else notes.rewritten(object.id, fix.timeDevice)
  }
  const fixes = taken.map(({ fix }) => fix).reverse()
  return { target: yield* endingAt(tables, target, owned, next, taken), fixes }
}

/** The object with `last` as its newest position. Null: it has none. */
function* endingAt(
  { positions }: Tables,
  { object, state, shifts, rules }: FoldTarget,
  owned: Owned,
  last: StoredPosition | null,
  taken: readonly StoredPosition[],
): Work<FoldTarget> {
  if (last === null) {
    const { timeServer } = state
    const attributes = withoutAll(state.attributes, taken)
    return { object, shifts: NO_SHIFTS, state: { ...UNSEEN, timeServer, attributes }, rules: null }
  }
  const before = shifts.before(last.fix.timeDevice + 1)
  const now: Owned = { ...owned, shifts: before }
  const ending = {
    fold: yield* foldStateAt(positions, now, last),
    turned: taken.map(({ fix }) => ({ at: fix.timeDevice, is: null })),
    shift: null,
  }
  const after = yield* stateAfterRefold(positions, now, state, ending, taken, null)
  return { object, shifts: before, state: after, rules }
}
