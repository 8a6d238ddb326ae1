import { FIX_RECORD, readCounters, writeCounters } from '../../../domain/position/fix-record.ts'
import { objectShifts, type Shift } from '../../../tracking/object-shifts.ts'
import { unpackRowFold } from '../../../tracking/stored-position.ts'
import { WEEK_MS } from '../../week.ts'
import { statement } from '../connection/connections.ts'
import { bigintOf, booleanOf, type Field, type WholeNumbers } from '../connection/copy-command.ts'
import type { RowReader } from '../connection/reading.ts'

/** A range of one object's positions: later than `after`, up to and including `to`. */
export type Range = { organization: number; object: number; after: number; to: number }

/** Where a statement begins, and how far it looks. */
export type StretchPlace = { after: number; reachMs: number }

/** The result of one statement within a range. */
export type Stretch = {
  /** Whether the organization has the object, in the state of the database that was read. */
  known: boolean
  /** The organization's newest change in that state. */
  newest: number
  /** The number of shown rows among those read. */
  shown: number
  /** Where the next statement begins. Null at the end of the range. */
  next: StretchPlace | null
}

export type Block = Stretch & { records: Buffer | null }

/** A number above every change: shows each row that is not hidden when it is read. */
export const NOW = Number.MAX_SAFE_INTEGER

/** Most ranges lie in one or two weekly partitions, so a statement opens no more than that. */
const NEAR_MS = WEEK_MS
/** After an empty stretch, the next statement looks this many times further. */
const REACH_FACTOR = 8

/** Shown as of the change with the number `$5`. */
const IS_SHOWN = '(change <= $5 AND (hidden IS NULL OR hidden > $5))'

const STATE_COLUMNS = `
  EXISTS (SELECT FROM objects WHERE organization = $1 AND id = $2),
  (SELECT newest FROM sequences WHERE organization = $1)`

const PASSED = `
  FROM (
    SELECT time_device, change, hidden, fix FROM positions
    WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
    ORDER BY time_device LIMIT $6
  ) AS stretch`

const COUNT = statement(`
  SELECT ${STATE_COLUMNS}, count(*), max(time_device), count(*) FILTER (WHERE ${IS_SHOWN}) ${PASSED}`)

/** The server joins the records of a block into one row, instead of one row for each. */
export const READ = statement(`
  SELECT ${STATE_COLUMNS}, count(*), max(time_device), count(*) FILTER (WHERE ${IS_SHOWN}),
    string_agg(fix, '') FILTER (WHERE ${IS_SHOWN}),
    EXISTS (SELECT FROM counter_shifts WHERE organization = $1 AND object = $2) ${PASSED}`)

/**
 * The shown rows of a stretch of an object with shifts, and the shifts themselves. One statement reads
 * both, because a shift moves when rows are rewritten.
 */
const READ_SHIFTED_BLOCK = statement(`
  SELECT
    EXISTS (SELECT FROM objects WHERE organization = $1 AND id = $2),
    (SELECT string_agg(int8send(from_time) || int8send(odometer) || int8send(engine_hours), ''
        ORDER BY from_time)
      FROM counter_shifts WHERE organization = $1 AND object = $2),
    string_agg(fix, ''),
    string_agg(int2send(octet_length(track)::int2) || track, '')
  FROM (
    SELECT fix, track FROM positions
    WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
      AND ${IS_SHOWN}
    ORDER BY time_device
  ) AS stretch`)

export function beginOf({ after }: Range): StretchPlace {
  return { after, reachMs: NEAR_MS }
}

/** The rows that one statement reads. */
export type StretchBounds = {
  reader: RowReader
  range: Range
  place: StretchPlace
  /** The number of the organization's change as of which rows are shown, or `NOW`. */
  asOf: number
  /** The largest number of rows. */
  rows: number
}

/** Counts the shown rows of a stretch. */
export async function countStretch(bounds: StretchBounds): Promise<Stretch> {
  const [row] = await bounds.reader.copy(COUNT, valuesOf(bounds))
  return stretchOf(bounds, row!)
}

/** Counts the shown rows of a stretch and returns their records. */
export async function readStretch(bounds: StretchBounds): Promise<Block> {
  const [row] = await bounds.reader.copy(READ, valuesOf(bounds))
  const stretch = stretchOf(bounds, row!)
  const records = row![5] ?? null
  if (records === null || !booleanOf(row![6])) return { ...stretch, records }
  const { range, place } = bounds
  const last = bigintOf(row![3])!
  const asOf = Math.min(bounds.asOf, stretch.newest)
  const values = [range.organization, range.object, place.after, last, asOf]
  const [shifted] = await bounds.reader.copy(READ_SHIFTED_BLOCK, values)
  const { known, block } = shiftedBlock(shifted!)
  return { ...stretch, known: stretch.known && known, records: block }
}

function valuesOf({ range, place, asOf, rows }: StretchBounds): WholeNumbers {
  return [range.organization, range.object, place.after, endOf(range, place), asOf, rows]
}

function endOf({ to }: Range, { after, reachMs }: StretchPlace): number {
  return Math.min(to, after + reachMs)
}

function stretchOf({ range, place, rows }: StretchBounds, row: Field[]): Stretch {
  const isFull = bigintOf(row[2]) === rows
  return {
    known: booleanOf(row[0]),
    newest: bigintOf(row[1]) ?? 0,
    shown: bigintOf(row[4])!,
    next: nextPlace(range, place, isFull ? bigintOf(row[3]) : null),
  }
}

/** `last`: the row at which the statement stopped, or null if it reached its end. */
function nextPlace(range: Range, place: StretchPlace, last: number | null): StretchPlace | null {
  if (last !== null) return { after: last, reachMs: NEAR_MS }
  const end = endOf(range, place)
  return end < range.to ? { after: end, reachMs: place.reachMs * REACH_FACTOR } : null
}

/** Joins the records and applies the shifts to their counters. Null if there are none. */
function shiftedBlock([known, shifts, records, tracks]: Field[]) {
  if (records == null || tracks == null) return { known: booleanOf(known), block: null }
  const applying = objectShifts(shifts == null ? [] : shiftsOf(shifts))
  let trackAt = 0
  for (let at = 0; at < records.length; at += records.readUInt16LE(at + FIX_RECORD.length)) {
    const trackBytes = tracks.readInt16BE(trackAt)
    trackAt += 2
    const time = records.readUIntLE(at + FIX_RECORD.timeDevice, 6)
    const { tripFrom } = unpackRowFold(tracks.subarray(trackAt, trackAt + trackBytes), time)
    trackAt += trackBytes
    writeCounters(records, applying.shown(readCounters(records, at), time, tripFrom), at)
  }
  return { known: booleanOf(known), block: records }
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

/** The end of the first `count` joined records. */
export function endOfRecords(joined: Buffer, count: number): number {
  let end = 0
  for (let left = count; left > 0; left -= 1) end += joined.readUInt16LE(end + FIX_RECORD.length)
  return end
}

/** Splits joined records into pieces of whole records. */
export function* piecesOf(joined: Buffer): Generator<Buffer> {
  let from = 0
  for (let end = 0; end < joined.length; ) {
    end += joined.readUInt16LE(end + FIX_RECORD.length)
    if (end - from < PIECE_BYTES && end < joined.length) continue
    yield joined.subarray(from, end)
    from = end
  }
}
