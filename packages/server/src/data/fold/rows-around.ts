import type { TimeRange } from '../../base/domain/time/time.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { PositionForm } from '../positions/position-tables.ts'
import type { StoredRow } from '../positions/stored-blocks.ts'
import { unpackedRows } from '../positions/table-rows.ts'
import type { Sql } from '../tables/sql.ts'

/** An object's rows next to a moment, each list ascending by time. */
export type Around = {
  /** The newest rows before the moment. */
  earlier: StoredRow[]
  /** The oldest rows from the moment on. */
  later: StoredRow[]
}

/** The largest number of rows on either side. */
export type Counts = { earlier: number; later: number }

/** `packedUpTo`: the last time of the last block that begins within the bounds, or before them. */
type TableAround = Around & { packedUpTo: number | null }

type JoinedAround = {
  object: number
  earlier: Uint8Array | null
  later: Uint8Array | null
  packedUpTo: number | null
}

const OF = 'organization = $1 AND object = wanted.id'

/**
 * Reads, for several objects, the rows of the table of positions next to a moment within bounds. The rows of each list come
 * as one value.
 */
export type TableReader = ReturnType<typeof tableReader>

export function tableReader(form: PositionForm) {
  const { packedRow, bytes, atMost, wanted, lists, before, since } = form
  const joined = (side: string, order: string, limit: string) => `
    (SELECT ${bytes('one')} FROM (
      SELECT ${packedRow} AS one FROM positions
      WHERE ${OF} AND ${side} ORDER BY time_device ${order} LIMIT ${atMost(limit)}) AS rows)`
  const read = `
    SELECT id AS object, ${joined(before, 'DESC', '$4')} AS earlier, ${joined(since, '', '$5')} AS later,
      (SELECT last_time FROM position_blocks WHERE ${OF} AND first_time <= $3
        ORDER BY first_time DESC LIMIT 1) AS "packedUpTo"
    FROM ${wanted(6, 'id', 'at')}`

  return function* (
    sql: Sql,
    organization: number,
    moments: ReadonlyMap<number, number>,
    { from, to }: TimeRange,
    counts: Counts,
  ): Work<Map<number, TableAround>> {
    const asked = lists([...moments.keys()], [...moments.values()])
    const values = [organization, from, to, counts.earlier, counts.later, ...asked]
    const rows = yield* sql.all<JoinedAround>(read, values)
    return new Map(
      rows.map(({ object, earlier, later, packedUpTo }) => [
        object,
        { earlier: unpackedRows(earlier).reverse(), later: unpackedRows(later), packedUpTo },
      ]),
    )
  }
}
