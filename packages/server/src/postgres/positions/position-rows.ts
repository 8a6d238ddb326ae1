import { FIX_RECORD } from '../../domain/position/fix-record.ts'
import type { TimeRange } from '../../domain/time/time.ts'
import type { StoredRow } from '../../store/positions/stored-blocks.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { byteaArray, type Given, givenStatement, int8Array } from '../connection/given-rows.ts'

/** An object's rows next to a moment, each list ascending by time. */
export type Around = {
  /** The newest rows before the moment. */
  earlier: StoredRow[]
  /** The oldest rows from the moment on. */
  later: StoredRow[]
}

/** The largest number of rows on either side. */
export type Counts = { earlier: number; later: number }

/** A row as one value: its change, the change that hid it, the length of its fold state, fix and track. */
export const PACKED = `int8send(change) || int8send(coalesce(hidden, -1))
  || int4send(length(track)) || fix || track`
const AT = { change: 0, hidden: 8, trackLength: 16, fix: 20 } as const

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

/** The rows of joined values. Null: none. */
export function unpackedRows(packed: Buffer | null): StoredRow[] {
  const rows: StoredRow[] = []
  if (packed === null) return rows
  for (let at = 0; at < packed.length; ) {
    const start = at + AT.fix
    const length = packed.readUInt16LE(start + FIX_RECORD.length)
    const trackLength = packed.readInt32BE(at + AT.trackLength)
    const hidden = Number(packed.readBigInt64BE(at + AT.hidden))
    const end = start + length
    at = end + trackLength
    rows.push({
      time: packed.readUIntLE(start + FIX_RECORD.timeDevice, 6),
      change: Number(packed.readBigInt64BE(start - AT.fix + AT.change)),
      hidden: hidden < 0 ? null : hidden,
      fix: packed.subarray(start, end),
      track: packed.subarray(end, at),
    })
  }
  return rows
}

const insert = ({ rows }: Given) => `
  INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
  ${rows('unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::bytea[], $7::bytea[])')}`
const ADD = givenStatement(insert)
/** Unlike an UPDATE, this cannot get a bad plan. */
const REPLACE = givenStatement(
  (given) => `${insert(given)}
  ON CONFLICT (organization, object, time_device) DO UPDATE SET
    change = excluded.change, hidden = excluded.hidden, fix = excluded.fix, track = excluded.track`,
)

/** The change of one object's row. */
export type WrittenRow = StoredRow & { object: number; isNew: boolean }

/** Writes rows of one organization, each once. A failure fails the transaction. */
export function writeRows(
  connection: Connection,
  organization: number,
  rows: readonly WrittenRow[],
): void {
  const added = rows.filter(({ isNew }) => isNew)
  const replaced = rows.filter(({ isNew }) => !isNew)
  if (added.length > 0) connection.run(ADD, [organization, ...columnsOf(added)])
  if (replaced.length > 0) connection.run(REPLACE, [organization, ...columnsOf(replaced)])
}

function columnsOf(rows: readonly WrittenRow[]): Buffer[] {
  return [
    int8Array(rows.map(({ object }) => object)),
    int8Array(rows.map(({ time }) => time)),
    int8Array(rows.map(({ change }) => change)),
    int8Array(rows.map(({ hidden }) => hidden)),
    byteaArray(rows.map(({ fix }) => fix)),
    byteaArray(rows.map(({ track }) => track)),
  ]
}
