import type { DatabaseSync } from 'node:sqlite'
import { LAST_TIME } from '../domain/time/time.ts'
import { mergedRows, packedTrackRows, type TableRows } from '../store/positions/merged-rows.ts'
import { BEGINNING } from '../store/positions/packing.ts'
import { blocksOf } from '../store/positions/position-tables.ts'
import type { Stretch } from '../store/positions/stored-blocks.ts'
import type { TrackRows } from '../store/tables/records.ts'
import { inSlices } from '../store/tables/sql.ts'
import type { ShiftOfObject } from '../tracking/object-shifts.ts'
import { readTrackRows, type TrackRow } from '../tracking/track-row.ts'
import { atHand, runAtOnce } from '../tracking/work.ts'
import { fixedPlan } from './database/database.ts'
import { shiftReader } from './positions/fold-tables.ts'
import { sqlOf } from './tables.ts'

/** Rows read at once: some 1 ms. Then others have their turn. */
const SLICE_ROWS = 1_000

/** All whole numbers of one byte, as a literal. Its parts turn numbers into bytes. */
const BYTES = `x'${Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('hex')}'`

/** A row of a block, as `readTrackRows` takes it. */
const ROW = `
  iif(hidden IS NULL, x'01', x'00') || substr(${BYTES}, length(track) + 1, 1) || fix || track`

const FIRST = `
  SELECT CAST(${ROW} AS BLOB) AS row FROM positions
  WHERE organization = ? AND object = ? AND time_device > ? AND time_device <= ?
  ORDER BY time_device LIMIT ${fixedPlan('?')}`

const LAST = `
  SELECT row FROM (
    SELECT CAST(${ROW} AS BLOB) AS row, time_device FROM positions
    WHERE organization = ? AND object = ? AND time_device > ? AND time_device <= ?
    ORDER BY time_device DESC LIMIT ${fixedPlan('?')}
  ) ORDER BY time_device`

/** Joining rows in SQLite takes 25 µs before the first one. */
const MAX_SINGLE_ROWS = 16

/** `CROSS JOIN` reads object by object, so that rows come in order. */
const BEHIND = `
  SELECT object, CAST(${ROW} AS BLOB) AS row
  FROM (SELECT CAST(key AS INTEGER) AS wanted, value AS after FROM json_each(?2))
  CROSS JOIN positions ON organization = ?1 AND object = wanted AND time_device > after`

/** The objects with blocks whose rows are later. */
const PACKED_BEHIND = `
  SELECT wanted AS object
  FROM (SELECT CAST(key AS INTEGER) AS wanted, value AS after FROM json_each(?2))
  WHERE after < (
    SELECT last_time FROM position_blocks WHERE organization = ?1 AND object = wanted
    ORDER BY first_time DESC LIMIT 1
  )`

const SHIFTS = `
  SELECT object, from_time AS "from", odometer, engine_hours AS engineHours FROM counter_shifts
  WHERE organization = ?1 AND object IN (SELECT value FROM json_each(?2))
  ORDER BY object, from_time`

/** The rows of any organization, with all shifts. Calls are part of a transaction. */
export function trackRows(connection: DatabaseSync): (organization: number) => TrackRows {
  const shiftsOf = shiftReader(connection)
  const readShifts = connection.prepare(SHIFTS)
  const readBehind = connection.prepare(BEHIND)
  const readPacked = connection.prepare(PACKED_BEHIND)
  const withBlocks = (organization: number, after: ReadonlyMap<number, number>) =>
    readPacked.all(organization, timesText(after)).map(({ object }) => object as number)

  const first = rowReader(connection, FIRST, shiftsOf)
  const last = rowReader(connection, LAST, shiftsOf)
  const sql = sqlOf(connection)

  function rowsOf(organization: number, object: number): TableRows<TrackRow> {
    const table: TableRows<TrackRow> = {
      first: (stretch, limit) => atHand(first(organization, object, stretch, limit)),
      last: (stretch, limit) => atHand(last(organization, object, stretch, limit)),
    }
    return mergedRows(table, blocksOf(sql, organization, object), (block, stretch, limit) =>
      packedTrackRows(block, stretch, limit, shiftsOf(organization, object).all),
    )
  }

  return (organization) => ({
    rows: (object, after, limit) =>
      inSlices(limit, SLICE_ROWS, (size, before) =>
        runAtOnce(
          rowsOf(organization, object).first({ after: before?.time ?? after, to: LAST_TIME }, size),
        ),
      ),
    rowsBefore: async (object, before, limit) =>
      runAtOnce(rowsOf(organization, object).last({ after: BEGINNING, to: before - 1 }, limit)),
    async laterRows(after) {
      const joined = new Map<number, Uint8Array[]>()
      const found = readBehind.all(organization, timesText(after)) as ObjectRow[]
      for (const { object, row } of found) {
        const rows = joined.get(object)
        if (rows === undefined) joined.set(object, [row])
        else rows.push(row)
      }
      const objects = JSON.stringify([...joined.keys()])
      const shifts = Map.groupBy(
        readShifts.all(organization, objects) as ShiftOfObject[],
        ({ object }) => object,
      )
      const rows = new Map<number, TrackRow[]>()
      for (const [object, [first, ...others]] of joined) {
        const block = others.length === 0 ? first! : Buffer.concat([first!, ...others])
        rows.set(object, readTrackRows(block, shifts.get(object) ?? []))
      }
      // Packed rows are older than those of the table, but for some that came late.
      for (const object of withBlocks(organization, after)) {
        const all = rowsOf(organization, object)
        const stretch = { after: after.get(object)!, to: LAST_TIME }
        rows.set(object, runAtOnce(all.first(stretch, Number.MAX_SAFE_INTEGER)))
      }
      return rows
    },
  })
}

/** Reads rows of an object by a statement like `FIRST`. */
function rowReader(
  connection: DatabaseSync,
  rows: string,
  shiftsOf: ReturnType<typeof shiftReader>,
) {
  const readRows = connection.prepare(rows)
  const readBlock = connection.prepare(
    `SELECT CAST(group_concat(row, '') AS BLOB) AS block FROM (${rows})`,
  )
  return (organization: number, object: number, { after, to }: Stretch, limit: number) => {
    const values = [organization, object, after, to, limit] as const
    const block =
      limit <= MAX_SINGLE_ROWS
        ? Buffer.concat(readRows.all(...values).map(({ row }) => row as Uint8Array))
        : (readBlock.get(...values)!.block as Uint8Array | null)
    const isEmpty = block === null || block.length === 0
    return isEmpty ? [] : readTrackRows(block, shiftsOf(organization, object).all)
  }
}

/** A time for each object as JSON. Pairs would have to be parsed one by one, and an object would have to be sorted. */
function timesText(times: ReadonlyMap<number, number>): string {
  let text = ''
  for (const [object, time] of times) text += `${text === '' ? '{' : ','}"${object}":${time}`
  return text === '' ? '{}' : `${text}}`
}

type ObjectRow = { object: number; row: Uint8Array }
