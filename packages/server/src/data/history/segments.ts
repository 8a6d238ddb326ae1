import { FIX_RECORD, readCounters, writeCounters } from '../../base/domain/position/fix-record.ts'
import type { PositionColumns } from '../../base/domain/position/position-columns.ts'
import type { ObjectShifts } from '../../engine/tracking/object-shifts.ts'
import { unpackRowFold } from '../../engine/tracking/stored-position.ts'
import type { BlockMemory } from '../positions/block.ts'
import { countRows, readShown, type StoredBlock } from '../positions/stored-blocks.ts'

/** A range of one object's positions: later than `after`, up to and including `to`. */
export type Range = { organization: number; object: number; after: number; to: number }

/** The next rows of a range. */
export type Ask = {
  range: Range
  /** How far a read looks. */
  reachMs: number
  /** The number of the change as of which rows are shown, or `NOW`. */
  asOf: number
  /** The largest number of rows. */
  rows: number
  /** Whether only the number of shown rows is wanted. */
  isCount: boolean
}

/** A number above every change: shows each row that is not hidden when it is read. */
export const NOW = Number.MAX_SAFE_INTEGER

/** Shown as of the change with the number `$5`. */
export const IS_SHOWN = '(change <= $5 AND (hidden IS NULL OR hidden > $5))'

/** A whole block whose rows all are shown or hidden as they are now is counted without reading it. */
export const UNLESS_COUNTED = `
  CASE WHEN first_time <= $3 OR last_time > $4 OR newest_change > $5 OR shown >= $6 THEN block END`

/** Rows of the table of positions, and the block that follows them. */
export type Segment = {
  /** The number of the rows, and of those that are shown. At most as many as were asked for. */
  passed: number
  shown: number
  /** `time_device` of the last row. Null: there is none. */
  last: number | null
  /** The fix records of the shown ones, or `PositionForm.trackRow`s if the object has shifts. Null: none, or not wanted. */
  rows: Uint8Array | null
  /** Null: no block begins within reach. */
  block: NextBlock | null
}

/** `block`: null if its numbers say how many rows are shown. */
export type NextBlock = Omit<StoredBlock, 'block'> & { block: Uint8Array | null }

/** The segments of a range in their order, as one moment shows them. */
export type Segments = {
  /** Whether the organization has the object. */
  known: boolean
  /** The newest change, or that as of which rows were asked for. */
  newest: number
  shifts: ObjectShifts
  segments: Segment[]
}

/** Shown rows: fix records, or the columns of a block. */
export type Rows = Uint8Array | PositionColumns

/** The shown rows of a range up to some time. */
export type Chunk = {
  shown: number
  rows: Rows[]
  /** The time up to which all is read. */
  last: number
  /** Whether nothing more is within reach. */
  isEnd: boolean
}

/** Takes rows and blocks in turn, until there are as many as were asked for. `memory`: for the columns of the last block. */
export function chunkOf(
  ask: Ask,
  { segments, shifts }: Pick<Segments, 'segments' | 'shifts'>,
  memory?: BlockMemory,
): Chunk {
  const { range, rows: wanted } = ask
  const chunk: Chunk = { shown: 0, rows: [], last: range.after, isEnd: false }
  const take = (shown: number, rows: Rows | null) => {
    chunk.shown += shown
    if (shown > 0 && rows !== null) chunk.rows.push(rows)
  }
  for (const { passed, shown, last, rows, block } of segments) {
    if (chunk.shown === wanted || chunk.shown + shown > wanted) break
    if (passed > 0) {
      take(shown, rows === null ? null : shiftedRecords(rows, shifts))
      chunk.last = last!
    }
    if (passed === wanted) break
    chunk.isEnd = block === null
    if (block === null) break
    const left = wanted - chunk.shown
    if (block.block === null && block.shown >= left) break
    const within = { after: chunk.last, to: range.to }
    const stored = block as StoredBlock
    if (ask.isCount) {
      const counted = countRows(stored, within, ask.asOf, left)
      take(counted.shown, null)
      chunk.last = counted.last
    } else {
      const read = readShown(stored, within, ask.asOf, left, shifts, memory)
      take(read.shown, read.columns)
      chunk.last = read.last
    }
    if (chunk.last < Math.min(block.last, range.to)) break
  }
  return chunk
}

/** Fix records, with the shifts applied to their counters. */
function shiftedRecords(rows: Uint8Array, shifts: ObjectShifts): Uint8Array {
  if (shifts.all.length === 0) return rows
  const joined = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
  const records: Buffer[] = []
  for (let at = 0; at < joined.length; ) {
    const begin = at + 2
    const end = begin + joined.readUInt16LE(begin + FIX_RECORD.length)
    const fix = joined.subarray(begin, end)
    at = end + joined[at + 1]!
    const time = fix.readUIntLE(FIX_RECORD.timeDevice, 6)
    const { tripFrom } = unpackRowFold(joined.subarray(end, at), time)
    writeCounters(fix, shifts.shown(readCounters(fix), time, tripFrom))
    records.push(fix)
  }
  return Buffer.concat(records)
}
