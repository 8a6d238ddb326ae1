import type { Fix } from '../../domain/fix.ts'
import { asStored } from '../../domain/fix-record.ts'
import type { Objection, Tracking } from '../../domain/track.ts'
import type { AppendOutcome, NewFix } from '../store.ts'
import { takeLate } from './late.ts'
import { afterInOrder, heardFrom } from './state-in-order.ts'
import type { Tables } from './tables.ts'
import type { FindTracked, Tracked } from './tracked.ts'
import type { Work } from './work.ts'

export type TakenBatch = {
  /** In the order of the batch. */
  outcomes: AppendOutcome[]
  /** The objects whose states changed, by id. */
  touched: Map<number, Tracked>
}

/** Takes an organization's batch as one change. The caller saves the new states of the objects. */
export function* takeBatch(
  tables: Tables,
  find: FindTracked,
  batch: readonly NewFix[],
  change: number,
  tracking: Tracking,
): Work<TakenBatch> {
  const touched = new Map<number, Tracked>()
  const outcomes = new Array<AppendOutcome>(batch.length)
  for (const index of inOrder(batch)) {
    const { object: id, fix } = batch[index]!
    const existing = touched.get(id) ?? find(id)
    if (existing === null) {
      outcomes[index] = 'unknown_object'
      continue
    }
    const objection = tracking.judge(existing.object, fix)
    const taken =
      objection === undefined
        ? // Most fixes are in order, so they do not pay for a generator.
          (takeInOrder(tables, existing, fix, change, tracking) ??
          (yield* takeLate(tables, existing, asStored(fix), change, tracking)))
        : refuse(tables, existing, fix, objection)
    outcomes[index] = taken.outcome
    if (taken.tracked.state !== existing.state) touched.set(id, taken.tracked)
  }
  return { outcomes, touched }
}

type Taken = { outcome: AppendOutcome; tracked: Tracked }

/** Null if the fix is not newer than the newest of its object. */
function takeInOrder(
  { positions }: Tables,
  existing: Tracked,
  packet: Fix,
  change: number,
  tracking: Tracking,
): Taken | null {
  const { object, state, shifts } = existing
  if (state.track !== null && packet.timeDevice <= state.track.at) return null
  const fix = asStored(packet)
  const step = tracking.advance(state.track, object, fix)
  const { organization, id } = object
  positions.insert({ organization, object: id, shifts }, fix, step, change)
  return { outcome: 'accepted', tracked: { object, shifts, state: afterInOrder(state, fix, step) } }
}

function refuse({ rejects }: Tables, existing: Tracked, fix: Fix, reason: Objection): Taken {
  const { organization, id } = existing.object
  const { timeServer } = fix
  rejects.add(organization, id, { reason, timeServer, fix })
  const state = heardFrom(existing.state, timeServer)
  return { outcome: { rejected: reason }, tracked: { ...existing, state } }
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
