import { type Fleet, place, remove, retain } from './fleet.ts'
import { PACKED_COLUMNS, type Packed } from './packed.ts'

/** Rows taken over per frame: about 1 ms of work. */
const ROWS_A_FRAME = 4_000

/** With `all`, objects outside this batch no longer exist. */
export type Batch = { packed: Packed; all: boolean } | { gone: number[] }

/** Batches that are not in the fleet yet, oldest first. Each frame takes a slice. */
export type Pending = {
  batches: Batch[]
  /** Rows of the first batch that are in the fleet already. */
  taken: number
  /** Whether all objects have been taken over since the stream opened. */
  whole: boolean
}

export function createPending(): Pending {
  return { batches: [], taken: 0, whole: false }
}

/** Rows per frame. Takes more if frames are too rare to keep up. */
export function sliceOf({ batches }: Pending): number {
  let rows = 0
  for (const batch of batches) if ('packed' in batch) rows += batch.packed.length / PACKED_COLUMNS
  return Math.max(ROWS_A_FRAME, Math.ceil(rows / 4))
}

/** Takes over the rows of one frame. True if there are more. */
export function takeSlice(
  pending: Pending,
  fleet: Fleet,
  now: number,
  glides: boolean,
  most = sliceOf(pending),
): boolean {
  let left = most
  while (left > 0) {
    const batch = pending.batches[0]
    if (batch === undefined) return false
    if ('gone' in batch) {
      for (const id of batch.gone) remove(fleet, id)
      pending.batches.shift()
      continue
    }
    const rows = batch.packed.length / PACKED_COLUMNS
    const count = Math.min(left, rows - pending.taken)
    place(fleet, batch.packed, pending.taken, count, now, glides && !batch.all)
    left -= count
    pending.taken += count
    if (pending.taken < rows) return true
    if (batch.all) {
      retain(fleet, idsOf(batch.packed))
      pending.whole = true
    }
    pending.batches.shift()
    pending.taken = 0
  }
  return pending.batches.length > 0
}

function idsOf(packed: Packed): Set<number> {
  const ids = new Set<number>()
  for (let at = 0; at < packed.length; at += PACKED_COLUMNS) ids.add(packed[at]!)
  return ids
}
