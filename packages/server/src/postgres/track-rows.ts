import { addAll } from '../domain/common/any-number.ts'
import { LAST_TIME } from '../domain/time/time.ts'
import { mergedRows, packedTrackRows, type TableRows } from '../store/positions/merged-rows.ts'
import { BEGINNING } from '../store/positions/packing.ts'
import { blocksOf } from '../store/positions/position-tables.ts'
import type { Stretch } from '../store/positions/stored-blocks.ts'
import type { TrackRows } from '../store/tables/records.ts'
import { inSlices } from '../store/tables/sql.ts'
import type { Shift, ShiftOfObject } from '../tracking/object-shifts.ts'
import { readTrackRows, type TrackRow } from '../tracking/track-row.ts'
import { runAwaiting, type Work, waitFor } from '../tracking/work.ts'
import { type Statement, statement } from './connection/connections.ts'
import type { Connection } from './connection/database.ts'
import { int8Array } from './connection/given-rows.ts'
import { SHIFTS, SHIFTS_OF } from './positions/object-states.ts'
import { blocksAfter } from './positions/position-blocks.ts'
import { sqlOf } from './tables.ts'

const WHOSE = 'organization = $1 AND object = $2'
/** A block of rows, as `readTrackRows` takes it. */
const JOINED = `
  string_agg(
    set_byte(set_byte('\\x0000'::bytea, 0, (hidden IS NULL)::int), 1, length(track))
      || fix || track, ''::bytea ORDER BY time_device) AS block`
const blockOf = (order: string) =>
  statement(`
    SELECT ${JOINED} FROM (
      SELECT time_device, fix, track, hidden FROM positions
      WHERE ${WHOSE} AND time_device > $3 AND time_device <= $4 ORDER BY time_device ${order} LIMIT $5
    ) AS chosen
  `)
/** `OFFSET 0` keeps the server from joining all rows of the organization. */
const BLOCKS = statement(`
  SELECT wanted.object, ${JOINED}
  FROM unnest($2::int8[], $3::int8[]) AS wanted (object, after)
  CROSS JOIN LATERAL (
    SELECT time_device, fix, track, hidden FROM positions
    WHERE organization = $1 AND object = wanted.object AND time_device > wanted.after OFFSET 0
  ) AS later_rows
  GROUP BY wanted.object
`)
/** Rows that one statement reads. */
const SLICE_ROWS = 2_000
const FIRST = blockOf('')
const LAST = blockOf('DESC')

/** The rows of an organization, with all shifts, over a transaction that sees one moment. */
export function trackRows(connection: Connection, organization: number): TrackRows {
  const { query } = connection
  const sql = sqlOf(connection)
  /** One object's rows. */
  async function rowsOf(object: number): Promise<TableRows<TrackRow>> {
    const shifts = await query<Shift>(SHIFTS, [organization, object])
    function* read(which: Statement, { after, to }: Stretch, limit: number): Work<TrackRow[]> {
      const values = [organization, object, after, to, limit]
      const [found] = yield* waitFor(query<{ block: Buffer | null }>(which, values))
      return found!.block === null ? [] : readTrackRows(found!.block, shifts)
    }
    const table: TableRows<TrackRow> = {
      first: (stretch, limit) => read(FIRST, stretch, limit),
      last: (stretch, limit) => read(LAST, stretch, limit),
    }
    return mergedRows(table, blocksOf(sql, organization, object), (block, stretch, limit) =>
      packedTrackRows(block, stretch, limit, shifts),
    )
  }

  return {
    async rows(object, after, limit) {
      const { first } = await rowsOf(object)
      return inSlices<TrackRow>(limit, SLICE_ROWS, (size, last) =>
        runAwaiting(first({ after: last?.time ?? after, to: LAST_TIME }, size)),
      )
    },
    async rowsBefore(object, before, limit) {
      const { last } = await rowsOf(object)
      return runAwaiting(last({ after: BEGINNING, to: before - 1 }, limit))
    },
    async laterRows(after) {
      const objects = int8Array([...after.keys()])
      const times = int8Array([...after.values()])
      const [joined, packed, shifts] = await Promise.all([
        query<{ object: number; block: Buffer }>(BLOCKS, [organization, objects, times]),
        blocksAfter({ query }, organization, after),
        query<ShiftOfObject>(SHIFTS_OF, [organization, objects]),
      ])
      const shiftsOf = Map.groupBy(shifts, ({ object }) => object)
      const rows = new Map(
        joined.map(({ object, block }) => [
          object,
          readTrackRows(block, shiftsOf.get(object) ?? []),
        ]),
      )
      for (const [object, blocks] of Map.groupBy(packed, (block) => block.object)) {
        const stretch = { after: after.get(object)!, to: LAST_TIME }
        const all = blocks.flatMap((block) =>
          packedTrackRows(block, stretch, Number.MAX_SAFE_INTEGER, shiftsOf.get(object) ?? []),
        )
        addAll(all, rows.get(object) ?? [])
        rows.set(
          object,
          all.sort((a, b) => a.time - b.time),
        )
      }
      return rows
    },
  }
}
