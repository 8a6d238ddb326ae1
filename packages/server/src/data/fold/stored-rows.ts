import type { TimeRange } from '../../base/domain/time/time.ts'
import { together, type Work } from '../../engine/tracking/work.ts'
import { storedRows } from '../positions/merged-rows.ts'
import { unpackBlock } from '../positions/packing.ts'
import { blocksOf, type PositionForm, type TablesOf } from '../positions/position-tables.ts'
import type { WrittenRow } from '../positions/table-rows.ts'
import type { OrganizationSql } from '../tables/sql.ts'
import { type Around, type Counts, tableReader } from './rows-around.ts'

/** The rows of one transaction, whether they are in the table of positions or in blocks. */
export type StoredRows = {
  /** Reads, for several objects, the rows next to a moment within bounds: all at once if none of them is in a block. */
  readAround(
    moments: ReadonlyMap<number, number>,
    bounds: TimeRange,
    counts: Counts,
  ): Work<Map<number, Around>>
  /** Puts the blocks in which these rows change back into the table of positions. Their places were read before. */
  unpackFor(rows: readonly WrittenRow[]): Work<void>
}

export function rowsStored(
  form: PositionForm,
  tablesOf: TablesOf,
): (sql: OrganizationSql) => StoredRows {
  const readTable = tableReader(form)

  return (sql) => {
    const { organization } = sql
    /** The last time of the last block that was found of each object. Rows that are written later are in no block. */
    const packedUpTo = new Map<number, number>()

    function* packedAround(
      object: number,
      time: number,
      { from, to }: TimeRange,
      { earlier, later }: Counts,
    ): Work<[number, Around]> {
      const { rows: table, blocks } = tablesOf(sql, organization, object)
      const rows = storedRows(table, blocks)
      const [before, since] = yield* together([
        rows.last({ after: from - 1, to: Math.min(to, time - 1) }, earlier),
        rows.first({ after: Math.max(from, time) - 1, to }, later),
      ])
      return [object, { earlier: before!, later: since! }]
    }

    function* unpackAt(object: number, times: readonly number[]): Work<void> {
      const [last, { next }] = [times.at(-1)!, blocksOf(sql, organization, object)]
      for (let at: number | undefined = times[0]; at !== undefined; ) {
        const block = yield* next({ after: at - 1, to: last })
        if (block === null) return
        const isIn = times.some((time) => block.first <= time && time <= block.last)
        if (isIn) unpackBlock(tablesOf(sql, organization, object), block)
        at = times.find((time) => time > block.last)
      }
    }

    return {
      *readAround(moments, bounds, counts) {
        const around = new Map<number, Around>()
        const packed: Work<[number, Around]>[] = []
        for (const [object, read] of yield* readTable(sql, organization, moments, bounds, counts)) {
          const { packedUpTo: last } = read
          around.set(object, read)
          if (last === null) continue
          packedUpTo.set(object, Math.max(last, packedUpTo.get(object) ?? 0))
          const time = moments.get(object)!
          if (last < startOf(read, time, bounds, counts)) continue
          packed.push(packedAround(object, time, bounds, counts))
        }
        for (const [object, read] of yield* together(packed)) around.set(object, read)
        return around
      },
      *unpackFor(rows) {
        const packed = rows.filter(({ object, time }) => time <= (packedUpTo.get(object) ?? -1))
        const unpacking = Array.from(
          Map.groupBy(packed, ({ object }) => object),
          ([object, mine]) => {
            const times = mine.map(({ time }) => time).sort((a, b) => a - b)
            return unpackAt(object, times)
          },
        )
        yield* together(unpacking)
      },
    }
  }
}

/** The time from which the rows that were asked for are all in the table, if it has no block after it. */
function startOf({ earlier }: Around, time: number, { from }: TimeRange, counts: Counts): number {
  if (counts.earlier === 0) return Math.max(from, time)
  return earlier.length < counts.earlier ? from : earlier[0]!.time
}
