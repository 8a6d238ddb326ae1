import { DAY_MS } from '../../domain/time/time.ts'
import type { DamagedPositions } from '../../tracking/damaged-positions.ts'
import type { Work } from '../../tracking/work.ts'
import { StoreUnavailable } from '../store.ts'
import { BEGINNING, type PackTables, unpackBlock } from './packing.ts'

/**
 * How long an object keeps expired positions if its oldest ones are packed. To remove some rows of a block, it is unpacked and
 * packed again.
 */
export const MAX_LATER_MS = DAY_MS

/** A block takes as long as this many rows. */
const ROWS_OF_BLOCK = 50

/**
 * Removes the first expired blocks of an object, so many as take as long as `atMost` rows. The block of which rows stay, or on
 * whose last row later counters build, goes back into the table of positions. `until`: the moment from which rows stay after
 * this slice. The caller removes the older ones of the table, except the newest. `cost`: so many deleted rows take as long.
 * `damaged`: the block that had to be unpacked. It stays as a whole until its last row has expired.
 */
export function* removeExpired(
  tables: PackTables,
  before: number,
  atMost: number,
): Work<{ until: number; cost: number; damaged: DamagedPositions | null }> {
  let left = Math.ceil(atMost / ROWS_OF_BLOCK)
  let cost = 0
  for (let after = BEGINNING; ; left -= 1) {
    const block = yield* tables.blocks.next({ after, to: before - 1 })
    if (block === null) return { until: before, cost, damaged: null }
    const isLast =
      left === 0 || block.last >= before || !(yield* hasRows(tables, block.last, before))
    if (!isLast) {
      tables.removeBlock(block)
      cost += ROWS_OF_BLOCK
      after = block.last
      continue
    }
    const damaged = unpackBlock(tables, block)
    const stays = damaged !== null && block.last >= before
    if (damaged !== null && !stays) tables.removeBlock(block)
    return {
      until: left === 0 ? block.first + 1 : before,
      cost: cost + block.rows,
      damaged: stays ? damaged : null,
    }
  }
}

/** Whether there are expired rows after a moment. */
function* hasRows({ rows, blocks }: PackTables, after: number, before: number): Work<boolean> {
  const later = { after, to: before - 1 }
  return (yield* rows.first(later, 1)).length > 0 || (yield* blocks.next(later)) !== null
}

/** A try to purge a slice of objects in one transaction. */
export type PurgeTry = {
  /** Objects that failed in a try before. */
  readonly skipped: ReadonlySet<number>
  /** The one that is purged now. Null: none yet. */
  object: number | null
  /** The damage that was found. */
  readonly failures: unknown[]
}

/** Purges a slice of objects, without those that cannot be purged. `failed` gets the reasons. */
export async function passingOver<T>(
  purge: (attempt: PurgeTry) => Promise<T>,
  failed: (error: unknown) => void,
): Promise<T> {
  const skipped = new Set<number>()
  for (;;) {
    const attempt: PurgeTry = { skipped, object: null, failures: [] }
    try {
      const result = await purge(attempt)
      for (const failure of attempt.failures) failed(failure)
      return result
    } catch (error) {
      if (error instanceof StoreUnavailable || attempt.object === null) throw error
      failed(error)
      skipped.add(attempt.object)
    }
  }
}
