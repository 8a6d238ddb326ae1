import { FIX_RECORD } from '../../base/domain/position/fix-record.ts'
import {
  countersIn,
  type PositionColumns,
  pickRows,
  putCounters,
  timeIn,
} from '../../base/domain/position/position-columns.ts'
import { LAST_TIME } from '../../base/domain/time/time.ts'
import type { ObjectShifts } from '../../engine/tracking/object-shifts.ts'
import { NUMBER, type PositionRow } from '../../engine/tracking/stored-position.ts'
import {
  DamagedPositions,
  NewerPositions,
  UnreadablePositions,
} from '../../engine/tracking/work.ts'
import {
  type BlockMemory,
  type BlockOwner,
  blockMemory,
  decodeBlock,
  encodeBlock,
  firstAfter,
  type Wanted,
} from './block.ts'
import {
  AT,
  type BlockColumns,
  FIX_COLUMNS,
  IS_HIDDEN,
  SHIFTED_COLUMNS,
  SHOWN_COLUMNS,
  WORD,
} from './block-columns.ts'
import { DamagedBlock, NewerBlock } from './column-bytes.ts'
import { fixRecords, positionColumns, rowAt } from './columns-to-rows.ts'
import { columnsOf } from './rows-to-columns.ts'

/** A position as both forms have it: as a row of its table, or as a row of a block. */
export type StoredRow = PositionRow & { time: number }

/** A block as its table has it. No row of the table of positions is between its first and last row. */
export type StoredBlock = BlockOwner & {
  /** `time_device` of the first row and of the last. */
  first: number
  last: number
  /** The number of rows, and of those that no change has hidden. */
  rows: number
  shown: number
  /** The newest change that first showed a row of it, or hid one. */
  newestChange: number
  block: Uint8Array
}

/** Rows later than `after`, up to and including `to`. */
export type Span = { after: number; to: number }

/** Blocks are read one after the other, and rows are copied from their columns, so these share memory. */
const shared: BlockMemory = blockMemory()

/** A number above every change: shows each row that is not hidden. */
const NOW = Number.MAX_SAFE_INTEGER

const EVERYTHING: Span = { after: -1, to: LAST_TIME }

/** Packs rows of one object, at least one, in the order of their times. */
export function packRows(owner: BlockOwner, rows: readonly StoredRow[]): StoredBlock {
  return {
    organization: owner.organization,
    object: owner.object,
    first: rows[0]!.time,
    last: rows.at(-1)!.time,
    rows: rows.length,
    shown: rows.filter(({ hidden }) => hidden === null).length,
    newestChange: rows.reduce((most, row) => Math.max(most, row.change, row.hidden ?? 0), 0),
    block: encodeBlock(owner, columnsOf(rows)),
  }
}

/**
 * The rows of a block as they were packed. `limit`: the largest number of them, the first ones; or, if it is negative, the last
 * ones. Throws `UnreadablePositions`.
 */
export function unpackRows(
  stored: StoredBlock,
  span: Span = EVERYTHING,
  limit = Number.MAX_SAFE_INTEGER,
): StoredRow[] {
  const { columns, places } = readColumns(stored, span, limit)
  return places.map((place) => storedRow(columns, place))
}

/** Whether the rows of a block are as its columns say. Leaves a block that cannot be read to its readers. */
export function isAsNoted(stored: StoredBlock): boolean {
  try {
    const { rows, shown, newestChange } = packRows(stored, unpackRows(stored))
    return rows === stored.rows && shown === stored.shown && newestChange === stored.newestChange
  } catch (error) {
    if (error instanceof UnreadablePositions) return true
    throw error
  }
}

/**
 * The columns of a block, in memory that the next read of a block takes over, and the places of the rows of a span in them.
 * `limit`: as for `unpackRows`. `wanted`: the places of the columns that are read, absent: of all. Throws `UnreadablePositions`.
 */
export function readColumns(
  stored: StoredBlock,
  span: Span,
  limit: number,
  wanted?: ReadonlySet<number>,
): { columns: BlockColumns; places: number[] } {
  const columns = columnsIn(stored, span, wanted, limit)
  const all = placesIn(columns, span)
  const from = limit < 0 ? Math.max(all.from, all.to + limit) : all.from
  const to = limit < 0 ? all.to : Math.min(all.to, all.from + limit)
  return { columns, places: Array.from({ length: to - from }, (_, i) => from + i) }
}

/**
 * The fix records of a block at some times, which rise, with the shifts of its object. Null: no row with that time is shown.
 * Throws `UnreadablePositions`.
 */
export function findRecords(
  stored: StoredBlock,
  times: readonly number[],
  shifts: ObjectShifts,
): (Uint8Array | null)[] {
  const span = { after: times[0]! - 1, to: times.at(-1)! }
  const columns = columnsIn(stored, span, columnsFor(shifts))
  const places = times.map((time) => shownPlaces(columns, { after: time - 1, to: time }, NOW)[0])
  const shown = places.filter((place) => place !== undefined)
  addShifts(positionColumns(columns), columns, shown, shifts)
  const records = fixRecords(columns, shown)
  let end = 0
  return places.map((place) => {
    if (place === undefined) return null
    const begin = end
    end += records.readUInt16LE(begin + FIX_RECORD.length)
    return records.subarray(begin, end)
  })
}

function storedRow(columns: BlockColumns, place: number): StoredRow {
  return { time: columns.numbers[AT.time]![place]!, ...rowAt(columns, place) }
}

/** A span of a block as answers read it. */
export type ReadSpan = {
  /** The number of its rows, at most as many as were wanted. */
  shown: number
  /** Up to here all rows are read: the time of the last one if there are more, else the end of the span in the block. */
  last: number
}

/**
 * The first `atMost` rows that are shown as of a change, with the shifts of the object. They hold until `memory` is used again.
 * Throws `UnreadablePositions`.
 */
export function readShown(
  stored: StoredBlock,
  span: Span,
  asOf: number,
  atMost: number,
  shifts: ObjectShifts,
  memory = blockMemory(),
): ReadSpan & { columns: PositionColumns } {
  const columns = columnsIn(stored, span, columnsFor(shifts), Number.MAX_SAFE_INTEGER, memory)
  const places = shownPlaces(columns, span, asOf).slice(0, atMost)
  const all = positionColumns(columns)
  addShifts(all, columns, places, shifts)
  return {
    columns: hasNoGap(places) ? { ...all, rows: places.length } : pickRows(all, places),
    shown: places.length,
    last: endOf(stored, columns, span, places, atMost),
  }
}

/** Whether these are the first places, which rise. */
function hasNoGap(places: readonly number[]): boolean {
  return places.at(-1) === places.length - 1
}

function columnsFor({ all }: ObjectShifts): ReadonlySet<number> {
  return all.length > 0 ? SHIFTED_COLUMNS : FIX_COLUMNS
}

function addShifts(
  rows: PositionColumns,
  { flags, numbers }: BlockColumns,
  places: readonly number[],
  shifts: ObjectShifts,
): void {
  if (shifts.all.length === 0) return
  const fold = flags[WORD.fold]!
  for (const row of places) {
    const tripFrom = (fold[row]! & NUMBER.tripFrom) === 0 ? null : numbers[AT.tripFrom]![row]!
    putCounters(rows, row, shifts.shown(countersIn(rows, row), timeIn(rows, row), tripFrom))
  }
}

/** The time of the last row that is read: of the last wanted one, or of the end of the span if fewer are shown. */
function endOf(
  { last }: StoredBlock,
  { numbers }: BlockColumns,
  { to }: Span,
  places: readonly number[],
  atMost: number,
): number {
  return places.length === atMost ? numbers[AT.time]![places.at(-1)!]! : Math.min(last, to)
}

/**
 * Counts the rows that are shown as of a change, the first `atMost` of them. Throws `UnreadablePositions`.
 */
export function countRows(stored: StoredBlock, span: Span, asOf: number, atMost: number): ReadSpan {
  const isWhole = span.after < stored.first && stored.last <= span.to
  if (isWhole && stored.newestChange <= asOf && stored.shown < atMost) {
    return { shown: stored.shown, last: stored.last }
  }
  const columns = columnsIn(stored, span, SHOWN_COLUMNS)
  const shown = shownPlaces(columns, span, asOf)
  const places = shown.slice(0, atMost)
  return { shown: places.length, last: endOf(stored, columns, span, places, atMost) }
}

/** The time of the newest row that is shown now. Null: none is. Throws `UnreadablePositions`. */
export function newestShown(stored: StoredBlock, span: Span): number | null {
  const columns = columnsIn(stored, span, SHOWN_COLUMNS)
  const place = shownPlaces(columns, span, NOW).at(-1)
  return place === undefined ? null : columns.numbers[AT.time]![place]!
}

/** The places of the rows of a span that are shown as of a change. */
function shownPlaces(columns: BlockColumns, span: Span, asOf: number): number[] {
  const { from, to } = placesIn(columns, span)
  const changes = columns.numbers[AT.change]!
  const hidden = columns.numbers[AT.hidden]
  const flags = columns.flags[WORD.readings]!
  const places: number[] = []
  for (let row = from; row < to; row += 1) {
    const isHidden = (flags[row]! & IS_HIDDEN) !== 0 && hidden![row]! <= asOf
    if (changes[row]! <= asOf && !isHidden) places.push(row)
  }
  return places
}

/** The places of the rows of a span: from `from` on, before `to`. */
function placesIn({ rows, numbers }: BlockColumns, { after, to }: Span) {
  const times = numbers[AT.time]!.subarray(0, rows)
  return { from: firstAfter(times, after), to: firstAfter(times, to) }
}

/**
 * The columns of the rows of a span, and of some rows before and after them. `limit`: if it is negative, of the last rows
 * alone. Throws `UnreadablePositions`, also for the block of somebody else.
 */
function columnsIn(
  stored: StoredBlock,
  span: Span,
  wanted?: ReadonlySet<number>,
  limit = Number.MAX_SAFE_INTEGER,
  memory = shared,
): BlockColumns {
  const { organization, object, first, last } = stored
  const times = { ...span, limit }
  const { head, columns } = decoded(stored, { times, columns: wanted, memory })
  const isIts =
    head.organization === organization &&
    head.object === object &&
    head.first === first &&
    head.last === last
  if (!isIts) throw new DamagedPositions(stored)
  return columns
}

function decoded(stored: StoredBlock, wanted: Wanted) {
  try {
    return decodeBlock(stored.block, wanted)
  } catch (error) {
    if (error instanceof DamagedBlock) throw new DamagedPositions(stored)
    if (error instanceof NewerBlock) throw new NewerPositions(stored)
    throw error
  }
}
