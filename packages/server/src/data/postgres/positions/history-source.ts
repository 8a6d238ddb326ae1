import { WEEK_MS } from '../../../engine/store/position-store.ts'
import {
  NO_SHIFTS,
  type ObjectShifts,
  objectShifts,
  type Shift,
} from '../../../engine/tracking/object-shifts.ts'
import type { HistorySource, Sources } from '../../history/history.ts'
import {
  type Ask,
  IS_SHOWN,
  type NextBlock,
  type Range,
  type Segment,
  type Segments,
  UNLESS_COUNTED,
} from '../../history/segments.ts'
import { BLOCK_ROWS } from '../../positions/packing.ts'
import { NEXT_IN } from '../../positions/position-tables.ts'
import { type Statement, statement } from '../connection/connection-pool.ts'
import { bigintOf, booleanOf, type Field } from '../connection/copy-command.ts'
import type { RowReader } from '../connection/read-connections.ts'
import { FORM } from './position-form.ts'

const SHIFTS = `
  (SELECT string_agg(int8send(from_time) || int8send(odometer) || int8send(engine_hours), ''
      ORDER BY from_time)
    FROM counter_shifts WHERE organization = $1 AND object = $2)`

/**
 * The next blocks, at most `$7`, each with the rows of the table of positions before it, at most `$6`. If there are fewer blocks,
 * a last row has the rows after them. `block`: the block, or null if it is not needed. `joined`: values of the rows before it.
 */
const spanOf = (block: string, columns: string, joined: string) =>
  statement(`
  WITH blocks AS MATERIALIZED (
    SELECT first_time, last_time, rows, shown, newest_change, block,
      lag(last_time, 1, $3) OVER (ORDER BY first_time) AS after
    FROM (
      SELECT first_time, last_time, rows, shown, newest_change, block ${NEXT_IN} LIMIT $7
    ) AS next
  ), segments AS (
    SELECT * FROM blocks
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, coalesce((SELECT max(last_time) FROM blocks), $3)
    WHERE (SELECT count(*) FROM blocks) < $7
  )
  SELECT EXISTS (SELECT FROM objects WHERE organization = $1 AND id = $2),
    (SELECT newest FROM sequences WHERE organization = $1),
    first_time, last_time, rows, shown, newest_change, ${block}, passed.*
  FROM segments CROSS JOIN LATERAL (
    SELECT count(*), max(time_device), count(*) FILTER (WHERE ${IS_SHOWN}) ${joined}
    FROM (
      SELECT time_device, change, hidden ${columns} FROM positions
      WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
        AND time_device > segments.after AND time_device < coalesce(segments.first_time, $4 + 1)
      ORDER BY time_device LIMIT $6
    ) AS span
  ) AS passed`)

const COUNT = spanOf(UNLESS_COUNTED, '', '')

/** The server joins the records of many rows into one value, instead of one for each. */
export const READ = spanOf(
  'block',
  ', fix',
  `, string_agg(fix, '') FILTER (WHERE ${IS_SHOWN}),
    EXISTS (SELECT FROM counter_shifts WHERE organization = $1 AND object = $2)`,
)

/** For an object with shifts. One statement reads rows and shifts, because a shift moves when rows are rewritten. */
const READ_SHIFTED = spanOf(
  'block',
  ', fix, track',
  `, string_agg(${FORM.trackRow}, '') FILTER (WHERE ${IS_SHOWN}), ${SHIFTS}`,
)

/** The fields of a row. */
const AT = {
  ...{ known: 0, newest: 1, first: 2, last: 3, rows: 4, shown: 5, newestChange: 6, block: 7 },
  ...{ passed: 8, lastPassed: 9, shownPassed: 10, records: 11, shifts: 12 },
} as const

export type Readers = { primary: RowReader; lagging(): RowReader }

/** A replica may not know yet what was just created. */
export function historySources({ primary, lagging }: Readers): Sources {
  return (mayLag, signal) => {
    const readers = mayLag ? [lagging(), primary] : [primary]
    return readers.map((reader) => sourceOver(reader, signal))
  }
}

/** Its reads stop when the signal aborts. */
function sourceOver({ copy }: RowReader, signal: AbortSignal | undefined): HistorySource {
  /** Rows of a statement in the order of time. */
  async function rowsOf(which: Statement, ask: Ask): Promise<Field[][]> {
    const { range, reachMs, asOf, rows } = ask
    const { organization, object, after } = range
    const to = Math.min(range.to, after + reachMs)
    const blocks = Math.ceil(rows / BLOCK_ROWS)
    const read = await copy(which, [organization, object, after, to, asOf, rows, blocks], signal)
    const firstOf = (row: Field[]) => bigintOf(row[AT.first]) ?? Number.POSITIVE_INFINITY
    return read.sort((a, b) => firstOf(a) - firstOf(b))
  }

  return {
    // 0.5 ms, about 140 kB.
    rows: 2_500,
    // About 10 ms.
    countedRows: 50_000,
    // Most ranges are in one or two weekly partitions, so a statement opens no more than that.
    reachMs: WEEK_MS,
    readsAhead: true,
    async read(ask) {
      const rows = await rowsOf(ask.isCount ? COUNT : READ, ask)
      const seen = segmentsOf(ask.range, rows, NO_SHIFTS)
      if (ask.isCount || !booleanOf(rows[0]![AT.shifts])) return seen
      const { known, newest } = seen
      // As of the change that the first statement saw.
      const shifted = await rowsOf(READ_SHIFTED, { ...ask, asOf: Math.min(ask.asOf, newest) })
      const shifts = shiftsOf(shifted[0]![AT.shifts] ?? null)
      const read = segmentsOf(ask.range, shifted, shifts)
      return { ...read, known: known && read.known, newest }
    },
  }
}

function segmentsOf(range: Range, rows: Field[][], shifts: ObjectShifts): Segments {
  const [head] = rows
  const segments = rows.map(
    (row): Segment => ({
      passed: bigintOf(row[AT.passed])!,
      shown: bigintOf(row[AT.shownPassed])!,
      last: bigintOf(row[AT.lastPassed]),
      rows: row[AT.records] ?? null,
      block: row[AT.first] === null ? null : blockOf(range, row),
    }),
  )
  const newest = bigintOf(head![AT.newest]) ?? 0
  return { known: booleanOf(head![AT.known]), newest, shifts, segments }
}

function blockOf({ organization, object }: Range, row: Field[]): NextBlock {
  return {
    ...{ organization, object },
    first: bigintOf(row[AT.first])!,
    last: bigintOf(row[AT.last])!,
    rows: row[AT.rows]!.readInt32BE(),
    shown: row[AT.shown]!.readInt32BE(),
    newestChange: bigintOf(row[AT.newestChange])!,
    block: row[AT.block] ?? null,
  }
}

function shiftsOf(joined: Buffer | null): ObjectShifts {
  const shifts: Shift[] = []
  for (let at = 0; at < (joined?.length ?? 0); at += 24) {
    const number = (offset: number) => Number(joined!.readBigInt64BE(at + offset))
    shifts.push({ from: number(0), odometer: number(8), engineHours: number(16) })
  }
  return objectShifts(shifts)
}
