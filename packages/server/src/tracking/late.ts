import { withNames } from '../domain/attributes/current-attributes.ts'
import type { Fix } from '../domain/position/fix.ts'
import type { FoldRules, FoldState } from '../domain/position/fold-state.ts'
import { DAMAGED, unlessDamaged } from './damaged-positions.ts'
import { stateAfterRefold, withContact } from './object-state.ts'
import type { AppendOutcome } from './outcome.ts'
import { type RefoldReach, refoldAfter } from './refold-after.ts'
import { foldStateAt } from './state-at.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { FoldTarget, Positions, Tables } from './tables.ts'
import type { Work } from './work.ts'

/** Rewriting 50 positions takes about 0.2 ms. */
const REACH: RefoldReach = { near: 50, far: 1_000, whole: false }

type Taken = { outcome: AppendOutcome; target: FoldTarget }

/**
 * Takes a fix that is not newer than the newest fix of its object. If its neighbours are damaged, it is stored hidden: a
 * recompute counts it, once they are restored.
 */
export function* takeLate(
  tables: Tables,
  target: FoldTarget,
  fix: Fix,
  change: number,
  rules: FoldRules,
): Work<Taken> {
  const { positions, refoldMarks, rejects, notes } = tables
  const { organization, id } = target.object
  const { shifts, state: known } = target
  const names = withNames(known.attributes, fix.attributes)
  const owned: Owned = { organization, object: id, shifts, names }
  const state = withContact(known, fix.timeServer)
  const existing = yield* unlessDamaged(() => positions.at(owned, fix.timeDevice))
  if (existing === DAMAGED) return storeHidden(tables, target, owned, fix, change, rules)
  const order = existing === null ? 1 : rules.prefer(fix, existing.fix)
  if (order <= 0) {
    if (order === 0) return { outcome: 'duplicate', target: { ...target, state } }
    noteConflict(tables, target, fix.timeServer, fix)
    return { outcome: 'conflict', target: { ...target, state } }
  }
  const before = yield* unlessDamaged(() => stateBefore(positions, owned, fix.timeDevice, existing))
  if (before === DAMAGED) {
    if (existing === null) return storeHidden(tables, target, owned, fix, change, rules)
    noteConflict(tables, target, fix.timeServer, fix)
    return { outcome: 'conflict', target: { ...target, state } }
  }
  if (existing !== null) noteConflict(tables, target, fix.timeServer, existing.fix)
  if (before === 'beyond_retention') {
    rejects.add(organization, id, { reason: before, timeServer: fix.timeServer, fix })
    return { outcome: { rejected: before }, target: { ...target, state } }
  }
  const step = rules.advance(before, target.object, fix)
  // `refoldAfter` moves the later shifts, so the row is written without them.
  const writing: Owned = { ...owned, shifts: owned.shifts.before(fix.timeDevice) }
  const isLate = target.state.fold !== null && fix.timeDevice < target.state.fold.at
  if (existing === null) positions.insert(writing, fix, step, change, isLate)
  else positions.replace(writing, { ...existing, isLate }, fix, step, change)
  const wasShown = existing !== null && existing.hidden === null
  if (wasShown || !step.hidden) notes.position(id, fix.timeDevice)
  else notes.rewritten(id, fix.timeDevice)
  const refolded = yield* refoldAfter(tables, rules, {
    owned,
    object: target.object,
    from: step.fold,
    since: fix.timeDevice,
    replaced: existing === null ? null : fix.timeDevice,
    change,
    reach: REACH,
  })
  if (refolded.unfinishedAfter !== null) {
    // Later than this packet, `tasks/refolding.ts` folds the rest slice by slice (`refold-slice.ts`).
    refoldMarks.set(organization, id, refolded.unfinishedAfter)
  }
  refolded.turned.push({ at: fix.timeDevice, is: step.fold.motion })
  const now: Owned = { ...owned, shifts: refolded.shifts }
  const after = yield* stateAfterRefold(
    positions,
    now,
    { ...state, attributes: names },
    refolded,
    existing,
    fix,
  )
  return {
    outcome: existing === null ? 'accepted' : 'conflict',
    target: { ...target, shifts: refolded.shifts, state: after },
  }
}

/** The fold state before a moment. Null: no position is older. */
function* stateBefore(
  positions: Positions,
  owned: Owned,
  time: number,
  existing: StoredPosition | null,
): Work<FoldState | 'beyond_retention' | null> {
  const before = yield* positions.before(owned, time)
  if (before !== null) return yield* foldStateAt(positions, owned, before)
  if (existing !== null) return isKeptForItsCounters(existing) ? 'beyond_retention' : null
  const later = yield* unlessDamaged(() => positions.after(owned, time, 1))
  // A position that retention keeps is never packed, so no damage hides it.
  return later !== DAMAGED && isKeptForItsCounters(later[0]) ? 'beyond_retention' : null
}

function storeHidden(
  { positions, notes }: Tables,
  target: FoldTarget,
  owned: Owned,
  fix: Fix,
  change: number,
  rules: FoldRules,
): Taken {
  const { object, state } = target
  const step = { ...rules.advance(null, object, fix), hidden: true }
  positions.insert(owned, fix, step, change, true)
  notes.rewritten(object.id, fix.timeDevice)
  const attributes = withNames(state.attributes, fix.attributes)
  const known = { ...withContact(state, fix.timeServer), attributes }
  return { outcome: 'accepted', target: { ...target, state: known } }
}

/** Notes the fix that loses to another one of its moment. */
function noteConflict(
  { rejects }: Tables,
  { object }: FoldTarget,
  timeServer: number,
  fix: Fix,
): void {
  const note = { reason: 'conflict', timeServer, fix, isStored: true } as const
  rejects.add(object.organization, object.id, note)
}

/**
 * The oldest position is hidden only if retention removed those before it: it then carries their
 * counters.
 */
function isKeptForItsCounters(oldest: StoredPosition | undefined): boolean {
  return oldest !== undefined && oldest.hidden !== null
}
