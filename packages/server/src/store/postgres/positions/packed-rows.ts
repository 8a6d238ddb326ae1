import type { TimeRange } from '../../../domain/time/time.ts'
import { runAwaiting } from '../../../tracking/work.ts'
import { storedRows } from '../../positions/merged-rows.ts'
import { unpackBlock } from '../../positions/packing.ts'
import type { OrganizationWrite } from '../organization-writes.ts'
import { blocksOf, blocksWith, packTables, tableRows } from './position-blocks.ts'
import { type Around, type Counts, readTableAround, type WrittenRow } from './position-rows.ts'

/** The rows of one write, whether they are in the table of positions or in blocks. */
export type PackedRows = {
  /** Reads, for several objects, the rows next to a moment within bounds: all at once if none of them is in a block. */
  readAround(
    moments: ReadonlyMap<number, number>,
    bounds: TimeRange,
    counts: Counts,
  ): Promise<Map<number, Around>>
  /** Puts the blocks in which these rows change back into the table of positions. Their places were read before. */
  unpackFor(rows: readonly WrittenRow[]): Promise<void>
}

export function packedRows(write: OrganizationWrite): PackedRows {
  const { organization } = write
  /** The last time of the last block that was found of each object. Rows that are written later are in no block. */
  const packedUpTo = new Map<number, number>()

  async function packedAround(
    object: number,
    time: number,
    { from, to }: TimeRange,
    { earlier, later }: Counts,
  ): Promise<Around> {
    const rows = storedRows(
      tableRows(write, organization, object),
      blocksOf(write, organization, object),
    )
    const [before, since] = await Promise.all([
      runAwaiting(rows.last({ after: from - 1, to: Math.min(to, time - 1) }, earlier)),
      runAwaiting(rows.first({ after: Math.max(from, time) - 1, to }, later)),
    ])
    return { earlier: before, later: since }
  }

  return {
    async readAround(moments, bounds, counts) {
      const around: Map<number, Around> = new Map()
      const reading = await readTableAround(write, organization, moments, bounds, counts)
      await Promise.all(
        Array.from(reading, async ([object, { earlier, later, packedUpTo: last }]) => {
          around.set(object, { earlier, later })
          if (last === null) return
          packedUpTo.set(object, Math.max(last, packedUpTo.get(object) ?? 0))
          const time = moments.get(object)!
          if (last < startOf({ earlier, later }, time, bounds, counts)) return
          around.set(object, await packedAround(object, time, bounds, counts))
        }),
      )
      return around
    },
    async unpackFor(rows) {
      const packed = rows.filter(({ object, time }) => time <= (packedUpTo.get(object) ?? -1))
      if (packed.length === 0) return
      for (const block of await blocksWith(write, organization, packed)) {
        unpackBlock(packTables(write, organization, block.object), block)
      }
    },
  }
}

/** The time from which the rows that were asked for are all in the table, if it has no block after it. */
function startOf({ earlier }: Around, time: number, { from }: TimeRange, counts: Counts): number {
  if (counts.earlier === 0) return Math.max(from, time)
  return earlier.length < counts.earlier ? from : earlier[0]!.time
}
