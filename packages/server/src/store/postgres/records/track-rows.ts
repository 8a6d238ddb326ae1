import type { Shift, ShiftOfObject } from '../../../tracking/object-shifts.ts'
import { readTrackRows } from '../../../tracking/track-row.ts'
import { inSlices } from '../../in-slices.ts'
import type { TrackRows } from '../../tables/record-views.ts'
import { int8Array } from '../connection/binary-arrays.ts'
import { type Statement, statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'
import { SHIFTS, SHIFTS_OF } from '../positions/shifts.ts'

const WHOSE = 'organization = $1 AND object = $2'
/** A block of rows, as `readTrackRows` takes it. */
const JOINED = `
  string_agg(
    set_byte(set_byte('\\x0000'::bytea, 0, (hidden IS NULL)::int), 1, length(track))
      || fix || track, ''::bytea ORDER BY time_device) AS block`
const blockOf = (rows: string) =>
  statement(`
    SELECT ${JOINED} FROM (
      SELECT time_device, fix, track, hidden FROM positions WHERE ${WHOSE} AND ${rows} LIMIT $4
    ) AS chosen
  `)
/** `OFFSET 0` keeps the server from joining all rows of the organization. */
const BLOCKS = statement(`
  SELECT wanted.object, ${JOINED}
  FROM unnest($2::int8[], $3::int8[]) AS wanted (object, after)
  CROSS JOIN LATERAL (
    SELECT time_device, fix, track, hidden FROM positions
    WHERE organization = $1 AND object = wanted.object AND time_device > wanted.after OFFSET 0
  ) AS behind
  GROUP BY wanted.object
`)
/** Rows that one statement reads. */
const SLICE_ROWS = 2_000
const FIRST = blockOf('time_device > $3 ORDER BY time_device')
const LAST = blockOf('time_device < $3 ORDER BY time_device DESC')

/** The rows of an organization, with all shifts, over a transaction that sees one moment. */
export function trackRows({ query }: Pick<Connection, 'query'>, organization: number): TrackRows {
  async function rowsOf(block: Statement, object: number, moment: number, limit: number) {
    const [[found], shifts] = await Promise.all([
      query<{ block: Buffer | null }>(block, [organization, object, moment, limit]),
      query<Shift>(SHIFTS, [organization, object]),
    ])
    return found!.block === null ? [] : readTrackRows(found!.block, shifts)
  }

  return {
    rows: (object, after, limit) =>
      inSlices(limit, SLICE_ROWS, (size, last) => rowsOf(FIRST, object, last?.time ?? after, size)),
    rowsBefore: (object, before, limit) => rowsOf(LAST, object, before, limit),
    async rowsBehind(after) {
      const objects = int8Array([...after.keys()])
      const times = int8Array([...after.values()])
      const [blocks, shifts] = await Promise.all([
        query<{ object: number; block: Buffer }>(BLOCKS, [organization, objects, times]),
        query<ShiftOfObject>(SHIFTS_OF, [organization, objects]),
      ])
      const shiftsOf = Map.groupBy(shifts, ({ object }) => object)
      return new Map(
        blocks.map(({ object, block }) => [
          object,
          readTrackRows(block, shiftsOf.get(object) ?? []),
        ]),
      )
    },
  }
}
