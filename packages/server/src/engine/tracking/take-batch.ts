import {
  addedNames,
  fitting,
  hasNewNames,
  type NameRoom,
  withNames,
} from '../../base/domain/position/current-attributes.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import { asStored } from '../../base/domain/position/fix-record.ts'
import type { FoldRules, FoldState, RejectReason } from '../../base/domain/position/fold-state.ts'
import { afterInOrder, foldStateAt, stateAfterRefold, withContact } from './derive-object-state.ts'
import type {
  AppendOutcome,
  FindFoldTarget,
  FoldTarget,
  NameRows,
  NewFix,
  Positions,
  Tables,
} from './fold-tables.ts'
import { LATE_REACH, refoldAfter } from './refold-after.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import { withheldAs, withoutErased } from './withheld.ts'
import { DAMAGED, unlessDamaged, type Work } from './work.ts'

type TakenBatch = {
  /** In the order of the batch. */
  outcomes: AppendOutcome[]
  /** The objects whose states changed, by id. */
  touched: Map<number, FoldTarget>
}

/** Takes an organization's batch as one change. The caller saves the new states of the objects. */
export function* takeBatch(
  tables: Tables,
  find: FindFoldTarget,
  batch: readonly NewFix[],
  change: number,
  rules: FoldRules,
): Work<TakenBatch> {
  const touched = new Map<number, FoldTarget>()
  const outcomes = new Array<AppendOutcome>(batch.length)
  let names: NameRows | undefined
  for (const index of inOrder(batch)) {
    const packet = batch[index]!
    const existing = touched.get(packet.object) ?? find(packet.object)
    if (existing === null) {
      outcomes[index] = 'unknown_object'
      continue
    }
    const { object, state } = existing
    // An earlier attempt at the transaction may have set it.
    if (packet.dropped !== undefined) packet.dropped = undefined
    const withheld = withheldAs(existing, packet)
    if (withheld !== null) {
      outcomes[index] = withheld
      // During private hours, nothing shows that the device is sending.
      if (withheld === 'private') continue
      const seen = withContact(state, packet.fix.timeServer)
      if (seen !== state) touched.set(object.id, { ...existing, state: seen })
      continue
    }
    const given = withoutErased(existing, packet)
    const reason = rules.judge(object, given) ?? packet.refused
    if (reason === undefined && hasNewNames(state.attributes, given.attributes))
      names ??= yield* tables.names(object.organization, namesIn(batch))
    const fix = names === undefined ? given : fittingIn(names, existing, packet, given)
    const taken =
      reason === undefined
        ? // Most fixes are in order, so they do not pay for a generator.
          (takeInOrder(tables, existing, fix, change, rules) ??
          (yield* takeLate(tables, existing, asStored(fix), change, rules)))
        : reject(tables, existing, fix, reason)
    outcomes[index] = taken.outcome
    if (taken.outcome === 'accepted') noteUnread(tables, existing, fix, packet)
    if (taken.target.state !== state) touched.set(object.id, taken.target)
    names?.add(addedNames(state.attributes, taken.target.state.attributes))
  }
  names?.save()
  return { outcomes, touched }
}

function namesIn(batch: readonly NewFix[]): Set<string> {
  return new Set(batch.flatMap(({ fix }) => fix.attributes?.map(({ name }) => name) ?? []))
}

/** The fix with the attributes for which there is room. The packet gets the names of the others. */
function fittingIn(names: NameRoom, { state }: FoldTarget, packet: NewFix, fix: Fix): Fix {
  if (fix.attributes === null) return fix
  const { kept, dropped } = fitting(state.attributes, fix.attributes, names)
  if (dropped === undefined) return fix
  packet.dropped = dropped
  return { ...fix, attributes: kept }
}

type Taken = { outcome: AppendOutcome; target: FoldTarget }

/** Null if the fix is not newer than the newest of its object. */
function takeInOrder(
  { positions, notes }: Tables,
  existing: FoldTarget,
  packet: Fix,
  change: number,
  rules: FoldRules,
): Taken | null {
  const { object, state, shifts } = existing
  if (state.fold !== null && packet.timeDevice <= state.fold.at) return null
  const fix = asStored(packet)
  const step = rules.advance(state.fold, object, fix)
  const { organization, id } = object
  const after = afterInOrder(state, fix, step)
  const owned = { organization, object: id, shifts, names: after.attributes }
  positions.insert(owned, fix, step, change, false)
  if (step.hidden) notes.rewritten(id, fix.timeDevice)
  else notes.position(id, fix.timeDevice)
  return { outcome: 'accepted', target: { ...existing, state: after } }
}

function reject({ rejects }: Tables, existing: FoldTarget, fix: Fix, reason: RejectReason): Taken {
  const { organization, id } = existing.object
  const { timeServer } = fix
  rejects.add(organization, id, { reason, timeServer, fix })
  const state = withContact(existing.state, timeServer)
  return { outcome: { rejected: reason }, target: { ...existing, state } }
}

/** Records what was left out of a stored position, by reason. */
function noteUnread(
  { rejects }: Tables,
  { object }: FoldTarget,
  fix: Fix,
  { unread, dropped }: NewFix,
): void {
  if (unread === undefined && dropped === undefined) return
  const { timeServer } = fix
  const byReason = { ...(unread && { unreadable_value: unread }), ...dropped }
  for (const [reason, names] of Object.entries(byReason)) {
    const note = { reason, timeServer, fix, unread: names, isStored: true } as const
    rejects.add(object.organization, object.id, note)
  }
}

/** Sorted by object, then by device time, so that few fixes are late within the batch. */
function inOrder(batch: readonly NewFix[]): number[] {
  const indexes = Array.from(batch.keys())
  const before = (a: NewFix, b: NewFix) =>
    a.object - b.object || a.fix.timeDevice - b.fix.timeDevice
  // Many senders sort already, and sorting would take as long as folding.
  if (indexes.every((i) => i === 0 || before(batch[i - 1]!, batch[i]!) <= 0)) return indexes
  return indexes.sort((i, j) => before(batch[i]!, batch[j]!) || i - j)
}

/**
 * Takes a fix that is not newer than the newest fix of its object. If its neighbors are damaged, it is stored hidden: a
 * recompute counts it, once they are restored.
 */
function* takeLate(
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
    reach: LATE_REACH,
  })
  if (refolded.unfinishedAfter !== null) {
    // After this packet, `work/tasks/refold-and-pack.ts` folds the rest slice by slice (`refold-slice.ts`).
    refoldMarks.set(organization, id, refolded.unfinishedAfter)
  }
  refolded.turned.push({ at: fix.timeDevice, is: step.fold.motion })
  const now: Owned = { ...owned, shifts: refolded.shifts }
  const after = yield* stateAfterRefold(
    positions,
    now,
    { ...state, attributes: names },
    refolded,
    existing === null ? [] : [existing],
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

/** Records a fix that lost to another fix of the same moment. */
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
