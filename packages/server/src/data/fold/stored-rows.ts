import type { TimeRange } from '../../base/domain/time/time.ts'
import { together, type Work } from '../../engine/tracking/work.ts'
import { firstAfter } from '../positions/block.ts'
import { storedRows } from '../positions/merged-rows.ts'
import { unpackBlock } from '../positions/packing.ts'
import type { TablesOf } from '../positions/position-tables.ts'
import type { StoredRow } from '../positions/stored-blocks.ts'
import type { WrittenRow } from '../positions/table-rows.ts'
import type { OrganizationSql } from '../tables/sql.ts'
import type { Around, Counts, TableReader } from './rows-around.ts'

/** The rows of one transaction, whether they are in the table of positions or in blocks. */
export class StoredRows {
  private readonly sql: OrganizationSql
  private readonly tablesOf: TablesOf
  private readonly readTable: TableReader
  /** The last time of the last block that was found of each object. Rows that are written later are in no block. */
  private readonly packedUpTo = new Map<number, number>()

  constructor(sql: OrganizationSql, tablesOf: TablesOf, readTable: TableReader) {
    this.sql = sql
    this.tablesOf = tablesOf
    this.readTable = readTable
  }

  /** Reads, for several objects, the rows next to a moment within bounds: all at once if none of them is in a block. */
  *readAround(
    moments: ReadonlyMap<number, number>,
    bounds: TimeRange,
    counts: Counts,
  ): Work<Map<number, Around>> {
    const { sql, packedUpTo } = this
    const around = new Map<number, Around>()
    const packed: Work<[number, Around]>[] = []
    const tables = yield* this.readTable(sql, sql.organization, moments, bounds, counts)
    for (const [object, read] of tables) {
      const { packedUpTo: last } = read
      around.set(object, read)
      if (last === null) continue
      packedUpTo.set(object, Math.max(last, packedUpTo.get(object) ?? 0))
      const time = moments.get(object)!
      if (last < startOf(read, time, bounds, counts)) continue
      packed.push(this.packedAround(object, time, bounds, counts))
    }
    for (const [object, read] of yield* together(packed)) around.set(object, read)
    return around
  }

  *around(object: number, time: number, bounds: TimeRange, counts: Counts): Work<Around> {
    const around = yield* this.readAround(new Map([[object, time]]), bounds, counts)
    return around.get(object)!
  }

  private *packedAround(
    object: number,
    time: number,
    { from, to }: TimeRange,
    { earlier, later }: Counts,
  ): Work<[number, Around]> {
    const { rows: table, blocks } = this.tablesOf(this.sql, this.sql.organization, object)
    const rows = storedRows(table, blocks)
    const [before, since] = yield* together([
      rows.last({ after: from - 1, to: Math.min(to, time - 1) }, earlier),
      rows.first({ after: Math.max(from, time) - 1, to }, later),
    ])
    return [object, { earlier: before!, later: since! }]
  }

  /** Puts the blocks in which these rows change back into the table of positions. Their places were read before. */
  *unpackFor(rows: readonly WrittenRow[]): Work<void> {
    const { packedUpTo } = this
    if (packedUpTo.size === 0) return
    const packed = rows.filter(({ object, time }) => time <= (packedUpTo.get(object) ?? -1))
    const unpacking = Array.from(
      Map.groupBy(packed, ({ object }) => object),
      ([object, mine]) => this.unpackAt(object, Float64Array.from(mine, timeOf).sort()),
    )
    yield* together(unpacking)
  }

  private *unpackAt(object: number, times: Float64Array): Work<void> {
    const tables = this.tablesOf(this.sql, this.sql.organization, object)
    const to = times.at(-1)!
    for (let at = 0; at < times.length; ) {
      const block = yield* tables.blocks.next({ after: times[at]! - 1, to })
      if (block === null) return
      const isIn = firstAfter(times, block.first - 1) < firstAfter(times, block.last)
      if (isIn) unpackBlock(tables, block)
      at = firstAfter(times, block.last)
    }
  }
}

function timeOf({ time }: StoredRow): number {
  return time
}

/** The time from which the rows that were asked for are all in the table, if it has no block after it. */
function startOf({ earlier }: Around, time: number, { from }: TimeRange, counts: Counts): number {
  if (counts.earlier === 0) return Math.max(from, time)
  return earlier.length < counts.earlier ? from : earlier[0]!.time
}
