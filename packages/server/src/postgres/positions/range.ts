import { columnsOfRecords } from '../../domain/position/position-columns.ts'
import type { ChangeView } from '../../store/change-log.ts'
import { firstRows } from '../../store/positions/merged-rows.ts'
import { blocksOf } from '../../store/positions/position-tables.ts'
import { shiftsOf } from '../../store/positions/shifts.ts'
import { type Stretch, unpackRows } from '../../store/positions/stored-blocks.ts'
import { type ShownRow, shownRecord } from '../../store/shown-positions.ts'
import { inSlices } from '../../store/tables/sql.ts'
import { objectShifts } from '../../tracking/object-shifts.ts'
import { runAwaiting, waitFor } from '../../tracking/work.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { sqlOf } from '../tables.ts'

/** Rows of a range that one statement reads. */
const SLICE_ROWS = 2_000

const WHOSE = 'organization = $1 AND object = $2'
const RANGE = statement(`
  SELECT time_device AS time, fix, CASE
      WHEN EXISTS (SELECT FROM counter_shifts WHERE ${WHOSE}) THEN track
    END AS track
  FROM positions
  WHERE ${WHOSE} AND time_device > $3 AND time_device <= $4 AND hidden IS NULL
  ORDER BY time_device LIMIT $5
`)

/** The positions of a stretch that answers show now. */
export function rangeReader(
  connection: Connection,
  organization: number,
): Pick<ChangeView, 'range'> {
  const { query } = connection
  const sql = sqlOf(connection)

  /** The shown rows of an object. */
  function rowsOf(object: number) {
    const table = {
      first: ({ after, to }: Stretch, limit: number) =>
        waitFor(query<ShownRow>(RANGE, [organization, object, after, to, limit])),
    }
    return firstRows<ShownRow>(table, blocksOf(sql, organization, object), (block, ...stretch) =>
      unpackRows(block, stretch[0])
        .filter(({ hidden }) => hidden === null)
        .slice(0, stretch[1]),
    )
  }

  return {
    async range(object, after, to, limit) {
      const shifts = objectShifts(await runAwaiting(shiftsOf(sql, organization, object)))
      const first = rowsOf(object)
      const rows = await inSlices<ShownRow>(limit, SLICE_ROWS, (size, last) =>
        runAwaiting(first({ after: last?.time ?? after, to }, size)),
      )
      if (rows.length === 0) return []
      return [columnsOfRecords(Buffer.concat(rows.map((row) => shownRecord(row, shifts))))]
    },
  }
}
