import { FIX_RECORD, readCounters, writeCounters } from '../../domain/position/fix-record.ts'
import type { PositionColumns } from '../../domain/position/position-columns.ts'
import { WEEK_MS } from '../../store/position-store.ts'
import { BLOCK_ROWS } from '../../store/positions/packing.ts'
import { NEXT_IN } from '../../store/positions/position-tables.ts'
import {
  countRows,
  readShown,
  type StoredBlock,
  type Stretch as StretchOfRows,
} from '../../store/positions/stored-blocks.ts'
import {
  NO_SHIFTS,
  type ObjectShifts,
  objectShifts,
  type Shift,
} from '../../tracking/object-shifts.ts'
import { unpackRowFold } from '../../tracking/stored-position.ts'
import { type Statement, statement } from '../connection/connections.ts'
import { bigintOf, booleanOf, type Field } from '../connection/copy-command.ts'
import type { RowReader } from '../connection/reading.ts'

/** Shown as of the change with the number `$5`. */
const IS_SHOWN = '(change <= $5 AND (hidden IS NULL OR hidden > $5))'

const SHIFTS = `
  (SELECT string_agg(int8send(from_time) || int8send(odometer) || int8send(engine_hours), ''
      ORDER BY from_time)
    FROM counter_shifts WHERE organization = $1 AND object = $2)`

/**
 * The next blocks, at most `$7`, each with the rows of the table of positions before it, at most `$6`. If there are fewer blocks,
 * a last row has the rows after them. `block`: the block, or null if it is not needed. `joined`: values of the rows before it.
 */
const stretchOf = (block: string, columns: string, joined: string) =>
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
    ) AS stretch
  ) AS passed`)

/** A whole block whose rows all are shown or hidden as they are now is counted without reading it. */
const COUNT = stretchOf(
  `CASE WHEN first_time <= $3 OR last_time > $4 OR newest_change > $5 OR shown >= $6 THEN block END`,
  '',
  '',
)

const RECORDS = `, string_agg(fix, '') FILTER (WHERE ${IS_SHOWN})`

/** The server joins the records of many rows into one value, instead of one for each. */
export const READ = stretchOf(
  'block',
  ', fix',
  `${RECORDS}, EXISTS (SELECT FROM counter_shifts WHERE organization = $1 AND object = $2)`,
)

/** For an object with shifts. One statement reads rows and shifts, because a shift moves when rows are rewritten. */
const READ_SHIFTED = stretchOf(
  'block',
  ', fix, track',
  `${RECORDS}, ${SHIFTS},
    string_agg(int2send(octet_length(track)::int2) || track, '') FILTER (WHERE ${IS_SHOWN})`,
)

/** The fields of a row. */
const AT = {
  ...{ known: 0, newest: 1, first: 2, last: 3, rows: 4, shown: 5, newestChange: 6, block: 7 },
  ...{ passed: 8, lastPassed: 9, shownPassed: 10, records: 11, shifts: 12, tracks: 13 },
} as const

/** A range of one object's positions: later than `after`, up to and including `to`. */
export type Range = {
  organization: number
  object: number
  after: number
  to: number
}

/** Where a statement begins, and how far it looks. */
export type StretchPlace = { after: number; reachMs: number }

/** The result of one statement within a range. */
type Stretch = {
  /** Whether the organization has the object, in the state of the database that was read. */
  known: boolean
  /** The organization's newest change in that state. */
  newest: number
  /** The number of shown rows among those read. */
  shown: number
  /** Where the next statement begins. Null at the end of the range. */
  next: StretchPlace | null
}

/** Shown rows: fix records, or the columns of a block. */
type Rows = Uint8Array | PositionColumns

export type Block = Stretch & { rows: Rows[] }

/** A number above every change: shows each row that is not hidden when it is read. */
export const NOW = Number.MAX_SAFE_INTEGER

/** Most ranges are in one or two weekly partitions, so a statement opens no more than that. */
const NEAR_MS = WEEK_MS
/** After an empty stretch, the next statement looks this many times further. */
const REACH_FACTOR = 8

export function beginOf({ after }: Range): StretchPlace {
  return { after, reachMs: NEAR_MS }
}

/** The rows that one statement reads. */
type StretchBounds = {
  reader: RowReader
  range: Range
  place: StretchPlace
  /** The number of the organization's change as of which rows are shown, or `NOW`. */
  asOf: number
  /** The largest number of rows. */
  rows: number
}

/** Rows of one of the segments: those of the table, or those of a block. */
type Part = { rows: Rows | null; shown: number }

/** Counts the shown rows of a stretch. */
export async function countStretch(bounds: StretchBounds): Promise<Stretch> {
  const segments = await readSegments(COUNT, bounds)
  return walk(bounds, segments, countRows, () => null).stretch
}

/** Counts the shown rows of a stretch and returns their records. */
export async function readStretch(bounds: StretchBounds): Promise<Block> {
  const segments = await readSegments(READ, bounds)
  const [first] = segments
  if (booleanOf(first![AT.shifts])) return readShifted(bounds, first!)
  return rowsOf(bounds, segments, NO_SHIFTS)
}

/** As of the change that another statement saw. */
async function readShifted(bounds: StretchBounds, seen: Field[]): Promise<Block> {
  const newest = bigintOf(seen[AT.newest]) ?? 0
  const asOf = Math.min(bounds.asOf, newest)
  const segments = await readSegments(READ_SHIFTED, { ...bounds, asOf })
  const shifts = segments[0]![AT.shifts] ?? null
  const read = rowsOf(
    { ...bounds, asOf },
    segments,
    shifts === null ? NO_SHIFTS : objectShifts(shiftsOf(shifts)),
  )
  return { ...read, known: booleanOf(seen[AT.known]) && read.known, newest }
}

function rowsOf(bounds: StretchBounds, segments: Field[][], shifts: ObjectShifts): Block {
  const { stretch, parts } = walk(
    bounds,
    segments,
    (block, within, asOf, atMost) => {
      const { columns, ...read } = readShown(block, within, asOf, atMost, shifts)
      return { ...read, rows: columns }
    },
    (segment) => shiftedRecords(segment, shifts),
  )
  return { ...stretch, rows: parts }
}

/** Rows of the statement in the order of time. */
async function readSegments(
  which: Statement,
  { reader, range, place, asOf, rows }: StretchBounds,
): Promise<Field[][]> {
  const { organization, object } = range
  const blocks = Math.ceil(rows / BLOCK_ROWS)
  const values = [organization, object, place.after, endOf(range, place), asOf, rows, blocks]
  const segments = await reader.copy(which, values)
  const firstOf = (segment: Field[]) => bigintOf(segment[AT.first]) ?? Number.POSITIVE_INFINITY
  return segments.sort((a, b) => firstOf(a) - firstOf(b))
}

function endOf({ to }: Range, { after, reachMs }: StretchPlace): number {
  return Math.min(to, after + reachMs)
}

type ReadPart = Part & { last: number }

/** Takes rows and blocks in turn, until there are as many rows as the stretch may have. */
function walk(
  bounds: StretchBounds,
  segments: readonly Field[][],
  readBlock: (
    block: StoredBlock,
    within: StretchOfRows,
    asOf: number,
    atMost: number,
  ) => Omit<ReadPart, 'rows'> & Partial<Part>,
  readTable: (segment: Field[]) => Buffer | null,
): { stretch: Stretch; parts: Rows[] } {
  const { range, asOf, rows } = bounds
  const parts: Rows[] = []
  let [shown, after] = [0, bounds.place.after]
  let isEnd = false
  const take = (part: Part) => {
    shown += part.shown
    if (part.rows !== null) parts.push(part.rows)
  }
  for (const segment of segments) {
    const passed = bigintOf(segment[AT.passed])!
    const shownPassed = bigintOf(segment[AT.shownPassed])!
    if (shown === rows || shown + shownPassed > rows) break
    if (passed > 0) {
      take({ shown: shownPassed, rows: readTable(segment) })
      after = bigintOf(segment[AT.lastPassed])!
    }
    if (passed === rows) break
    isEnd = segment[AT.first] === null
    if (isEnd) break
    const block = blockOf(range, segment)
    if (block.block === null && block.shown >= rows - shown) break
    const read = readBlock(block as StoredBlock, { after, to: range.to }, asOf, rows - shown)
    take({ shown: read.shown, rows: read.shown === 0 ? null : (read.rows ?? null) })
    after = read.last
    if (read.last < Math.min(block.last, range.to)) break
  }
  const [head] = segments
  const stretch = {
    known: booleanOf(head![AT.known]),
    newest: bigintOf(head![AT.newest]) ?? 0,
    shown,
    next: isEnd ? placeAfter(bounds, after) : after < range.to ? { after, reachMs: NEAR_MS } : null,
  }
  return { stretch, parts }
}

/** The place after all within reach. A block may end later than that. */
function placeAfter({ range, place }: StretchBounds, after: number): StretchPlace | null {
  const end = Math.max(after, endOf(range, place))
  return end < range.to ? { after: end, reachMs: place.reachMs * REACH_FACTOR } : null
}

/** `block` is null if it is whole within the range, and no later change shows or hides a row of it. */
function blockOf(
  { organization, object }: Range,
  segment: Field[],
): Omit<StoredBlock, 'block'> & { block: Buffer | null } {
  return {
    ...{ organization, object },
    first: bigintOf(segment[AT.first])!,
    last: bigintOf(segment[AT.last])!,
    rows: segment[AT.rows]!.readInt32BE(),
    shown: segment[AT.shown]!.readInt32BE(),
    newestChange: bigintOf(segment[AT.newestChange])!,
    block: segment[AT.block] ?? null,
  }
}

/** The records of the rows of the table, with the shifts applied to their counters. */
function shiftedRecords(segment: Field[], shifts: ObjectShifts): Buffer | null {
  const [records, tracks] = [segment[AT.records] ?? null, segment[AT.tracks] ?? null]
  if (records === null || tracks === null || shifts.all.length === 0) return records
  let trackAt = 0
  for (let at = 0; at < records.length; at += records.readUInt16LE(at + FIX_RECORD.length)) {
    const trackBytes = tracks.readInt16BE(trackAt)
    trackAt += 2
    const time = records.readUIntLE(at + FIX_RECORD.timeDevice, 6)
    const { tripFrom } = unpackRowFold(tracks.subarray(trackAt, trackAt + trackBytes), time)
    trackAt += trackBytes
    writeCounters(records, shifts.shown(readCounters(records, at), time, tripFrom), at)
  }
  return records
}

function shiftsOf(joined: Buffer): Shift[] {
  const shifts: Shift[] = []
  for (let at = 0; at < joined.length; at += 24) {
    const number = (offset: number) => Number(joined.readBigInt64BE(at + offset))
    shifts.push({ from: number(0), odometer: number(8), engineHours: number(16) })
  }
  return shifts
}

/** The size of a piece of joined records: tens of kilobytes, encoded in 0.5 ms. */
const PIECE_BYTES = 48 * 1024

/** Splits joined records into pieces of whole records. */
export function* piecesOf(records: Uint8Array): Generator<Uint8Array> {
  const joined = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
  let from = 0
  for (let end = 0; end < joined.length; ) {
    end += joined.readUInt16LE(end + FIX_RECORD.length)
    if (end - from < PIECE_BYTES && end < joined.length) continue
    yield joined.subarray(from, end)
    from = end
  }
}
