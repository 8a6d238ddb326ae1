import { fitting } from '../domain/attributes/current-attributes.ts'
import type { Fix } from '../domain/position/fix.ts'
import { asStored } from '../domain/position/fix-record.ts'
import type { FoldRules, RejectReason } from '../domain/position/fold-state.ts'
import { takeLate } from './late.ts'
import { afterInOrder, withContact } from './object-state.ts'
import type { AppendOutcome, NewFix } from './outcome.ts'
import type { FindFoldTarget, FoldTarget, Tables } from './tables.ts'
import type { Work } from './work.ts'

export type TakenBatch = {
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
  for (const index of inOrder(batch)) {
    const { object: id, refused } = batch[index]!
    const existing = touched.get(id) ?? find(id)
    if (existing === null) {
      outcomes[index] = 'unknown_object'
      continue
    }
    const { fix, unread } = fittingIn(existing, batch[index]!)
    const reason = rules.judge(existing.object, fix) ?? refused
    const taken =
      reason === undefined
        ? // Most fixes are in order, so they do not pay for a generator.
          (takeInOrder(tables, existing, fix, change, rules) ??
          (yield* takeLate(tables, existing, asStored(fix), change, rules)))
        : reject(tables, existing, fix, reason)
    outcomes[index] = taken.outcome
    if (unread !== undefined && taken.outcome === 'accepted')
      noteUnread(tables, existing, fix, unread)
    if (taken.target.state !== existing.state) touched.set(id, taken.target)
  }
  return { outcomes, touched }
}

/** The fix with the attributes that its object can keep. The others count as unread. */
function fittingIn({ state }: FoldTarget, packet: NewFix): Pick<NewFix, 'fix' | 'unread'> {
  const { fix, unread = [] } = packet
  if (fix.attributes === null) return packet
  const { kept, lost } = fitting(state.attributes, fix.attributes)
  if (lost.length === 0) return packet
  return { fix: { ...fix, attributes: kept }, unread: [...unread, ...lost] }
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
  return { outcome: 'accepted', target: { object, shifts, state: after } }
}

function reject({ rejects }: Tables, existing: FoldTarget, fix: Fix, reason: RejectReason): Taken {
  const { organization, id } = existing.object
  const { timeServer } = fix
  rejects.add(organization, id, { reason, timeServer, fix })
  const state = withContact(existing.state, timeServer)
  return { outcome: { rejected: reason }, target: { ...existing, state } }
}

function noteUnread(
  { rejects }: Tables,
  { object }: FoldTarget,
  fix: Fix,
  unread: readonly string[],
): void {
  const { timeServer } = fix
  const note = { reason: 'unreadable_value', timeServer, fix, unread, isStored: true } as const
  rejects.add(object.organization, object.id, note)
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
