import type { TimeRange } from '../../domain/time/time.ts'
import type { StoredRow } from '../../store/positions/stored-blocks.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { int8Array } from '../connection/given-rows.ts'
import { PACKED, unpackedRows } from './position-form.ts'

/** An object's rows next to a moment, each list ascending by time. */
export type Around = {
  /** The newest rows before the moment. */
  earlier: StoredRow[]
  /** The oldest rows from the moment on. */
  later: StoredRow[]
}

/** The largest number of rows on either side. */
export type Counts = { earlier: number; later: number }

/*
 * The rows of each list come as one value. The bounds are the same for all objects, so that they show before anything
 * is read which partitions it can be in.
 */
const READ = statement(`
  SELECT wanted.object,
    (SELECT string_agg(one, '') FROM (
      SELECT ${PACKED} AS one FROM positions
      WHERE organization = $1 AND object = wanted.object AND time_device < wanted.time
        AND time_device BETWEEN $4 AND $5
      ORDER BY time_device DESC LIMIT $6) AS rows) AS earlier,
    (SELECT string_agg(one, '') FROM (
      SELECT ${PACKED} AS one FROM positions
      WHERE organization = $1 AND object = wanted.object AND time_device >= wanted.time
        AND time_device BETWEEN $4 AND $5
      ORDER BY time_device LIMIT $7) AS rows) AS later,
    (SELECT last_time FROM position_blocks
      WHERE organization = $1 AND object = wanted.object AND first_time <= $5
      ORDER BY first_time DESC LIMIT 1) AS "packedUpTo"
  FROM unnest($2::int8[], $3::int8[]) AS wanted (object, time)
`)

/** `packedUpTo`: the last time of the last block that begins within the bounds, or before them. */
type TableAround = Around & { packedUpTo: number | null }

/** Reads, for several objects, the rows of the table of positions next to a moment within bounds. */
export async function readTableAround(
  connection: Connection,
  organization: number,
  moments: ReadonlyMap<number, number>,
  { from, to }: TimeRange,
  counts: Counts,
): Promise<Map<number, TableAround>> {
  const objects = int8Array([...moments.keys()])
  const times = int8Array([...moments.values()])
  const values = [organization, objects, times, from, to, counts.earlier, counts.later]
  const rows = await connection.query<{
    object: number
    earlier: Buffer | null
    later: Buffer | null
    packedUpTo: number | null
  }>(READ, values)
  return new Map(
    rows.map(({ object, earlier, later, packedUpTo }) => [
      object,
      { earlier: unpackedRows(earlier).reverse(), later: unpackedRows(later), packedUpTo },
    ]),
  )
}
