import { takeTurn } from '../../base/domain/common/slots.ts'
import { DamagedRecord, FIX_RECORD } from '../../base/domain/position/fix-record.ts'
import {
  type ColumnMemory,
  columnMemory,
  columnsOfRecords,
  type PositionColumns,
  timeIn,
} from '../../base/domain/position/position-columns.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { History, PositionStore } from '../../engine/store/position-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { type BlockMemory, blockMemory } from '../positions/block.ts'
import {
  type Ask,
  type Chunk,
  chunkOf,
  NOW,
  type Range,
  type Rows,
  type Segments,
} from './segments.ts'

/** Where histories are read. */
export type HistorySource = {
  /** The best number of rows for one read, and for one count. */
  readonly rows: number
  readonly countedRows: number
  /** How far a read looks at first. Further ones look further, as long as there is nothing. */
  readonly reachMs: number
  /** Whether the next read begins while the rows of one are used. Otherwise they share memory. */
  readonly readsAhead: boolean
  /** Reads what one moment shows. */
  read(ask: Ask): Segments | Promise<Segments>
  /** Absent if the store itself notices damage of its files. */
  readonly doubts?: {
    damaged(cause?: unknown): Error
    /** Whether there are rows after the last one that was read. */
    endsTooSoon(range: Range, asOf: number): boolean
  }
}

/** The sources that are asked one after the other until one knows the object. */
export type Sources = (mayLag: boolean, signal: AbortSignal | undefined) => HistorySource[]

/** When few rows are wanted, there may be hidden rows before them. */
const MIN_ROWS = 100
/** After an empty chunk, the next read looks this many times further. */
const REACH_FACTOR = 8

/** One request's reads of one range. */
type Task = { source: HistorySource; range: Range; asOf: number }
/** Where a read begins, and how far it looks. */
type Place = { after: number; reachMs: number }
type Read = Chunk & Pick<Segments, 'known' | 'newest'> & { next: Place | null }

/**
 * Reads positions in short reads. Each starts where the one before ended. No transaction and no
 * cursor stays open between them: a slow reader holds nothing up, and after an aborted request
 * only a read of some milliseconds may still run. All reads of a request show the rows as of the
 * newest change that the first one saw. Rows of later changes are skipped.
 */
export function historyReader(sources: Sources): Pick<PositionStore, 'history' | 'count'> {
  async function ofKnown<T>(
    wanted: { mayLag?: boolean; signal?: AbortSignal } = {},
    read: (source: HistorySource) => Promise<T | null>,
  ): Promise<T | null> {
    for (const source of sources(wanted.mayLag ?? false, wanted.signal)) {
      const found = await read(source)
      if (found !== null) return found
    }
    return null
  }

  return {
    async history(organization, object, range, limit, wanted) {
      const whole = { organization, object, ...halfOpen(range) }
      const page = await ofKnown(wanted, (source) => pageOf(source, whole, limit))
      return page ?? { next: null, blocks: columnsOf([]) }
    },
    async count(organization, object, range, atMost, wanted) {
      const whole = { organization, object, ...halfOpen(range) }
      return (await ofKnown(wanted, (source) => countOf(source, whole, atMost))) ?? 0
    },
  }
}

function beginOf({ source, range }: Omit<Task, 'asOf'>): Place {
  return { after: range.after, reachMs: source.reachMs }
}

async function read(
  { source, range, asOf }: Task,
  { after, reachMs }: Place,
  rows: number,
  isCount = false,
  memory?: BlockMemory,
): Promise<Read> {
  const ask: Ask = { range: { ...range, after }, reachMs, asOf, rows, isCount }
  const segments = await source.read(ask)
  const { known, newest } = segments
  const chunk = chunkOf({ ...ask, asOf: Math.min(asOf, newest) }, segments, memory)
  // A block may end beyond what is within reach.
  const end = chunk.isEnd ? Math.max(chunk.last, after + reachMs) : chunk.last
  const next = chunk.isEnd
    ? { after: end, reachMs: reachMs * REACH_FACTOR }
    : { after: end, reachMs: source.reachMs }
  return { ...chunk, known, newest, next: end < range.to ? next : null }
}

/** Null if the organization has no such object. */
async function pageOf(
  source: HistorySource,
  range: Range,
  limit: number | null,
): Promise<History | null> {
  const begin = beginOf({ source, range })
  if (limit !== null && limit < source.rows) return shortPage(source, range, limit)
  const memory = source.readsAhead ? undefined : blockMemory()
  const first = await read({ source, range, asOf: NOW }, begin, source.rows, false, memory)
  if (!first.known) return null
  const task = { source, range, asOf: first.newest }
  if (limit === null) return { next: null, blocks: blocks(task, first, memory) }
  const next = await endOfPage(task, first.next, limit - first.shown)
  const page = { ...task, range: { ...range, to: next ?? range.to } }
  return { next, blocks: blocks(page, first, memory) }
}

async function countOf(
  source: HistorySource,
  range: Range,
  atMost: number,
): Promise<number | null> {
  const task: Task = { source, range, asOf: NOW }
  let counted = 0
  for (let place: Place | null = beginOf(task); place !== null && counted < atMost; ) {
    const chunk = await read(task, place, Math.min(atMost - counted, source.countedRows), true)
    if (!chunk.known) return null
    if (task.asOf === NOW) task.asOf = chunk.newest
    counted += chunk.shown
    place = chunk.next
    if (place !== null) await takeTurn()
  }
  return counted
}

/** Reads the next block while the one before is encoded and sent. */
async function* blocks(
  task: Task,
  first: Read,
  memory: BlockMemory | undefined,
): AsyncGenerator<PositionColumns> {
  const { source, range, asOf } = task
  const begin = (place: Place) => read(task, place, source.rows, false, memory)
  const toColumns = columnMaker(source, range.after, columnMemory())
  let chunk = first
  for (;;) {
    const { known, rows, next } = chunk
    // The object was deleted. Its positions go slice by slice, so the read rows may have gaps.
    if (!known) throw wasDeleted()
    const isLast = next === null || next.after >= range.to
    const coming = isLast || !source.readsAhead ? null : begin(next)
    // The error appears where the block is awaited, or nowhere if nobody awaits it.
    coming?.catch(() => {})
    yield* toColumns(rows)
    if (isLast) break
    chunk = await (coming ?? begin(next))
  }
  const rest = { ...range, after: chunk.last }
  if (source.doubts?.endsTooSoon(rest, asOf)) throw source.doubts.damaged()
}

async function* columnsOf(page: readonly PositionColumns[]): AsyncGenerator<PositionColumns> {
  for (const [index, columns] of page.entries()) {
    if (index > 0) await takeTurn()
    yield columns
  }
}

/** Makes columns of shown rows, each in this memory or in their own. Others run in between. */
function columnMaker({ doubts }: HistorySource, after: number, memory?: ColumnMemory) {
  let last = after
  let isFirst = true
  return async function* (parts: readonly Rows[]): AsyncGenerator<PositionColumns> {
    for (const part of parts) {
      for (const piece of part instanceof Uint8Array ? piecesOf(part) : [part]) {
        if (!isFirst) await takeTurn()
        isFirst = false
        const columns = piece instanceof Uint8Array ? ofRecords(piece, memory, doubts) : piece
        if (doubts !== undefined && !isInOrder(columns, last)) throw doubts.damaged()
        if (columns.rows > 0) last = timeIn(columns, columns.rows - 1)
        yield columns
      }
    }
  }
}

function ofRecords(
  records: Uint8Array,
  memory: ColumnMemory | undefined,
  doubts: HistorySource['doubts'],
): PositionColumns {
  try {
    return columnsOfRecords(records, memory)
  } catch (error) {
    throw error instanceof DamagedRecord && doubts !== undefined ? doubts.damaged(error) : error
  }
}

/**
 * Whether the times of rows increase, the first one above `after`. They do not if a disk put one page of an object in
 * place of another, or changed a time. Costs 1 % of encoding them.
 */
export function isInOrder(columns: PositionColumns, after: number): boolean {
  let previous = after
  for (let row = 0; row < columns.rows; row += 1) {
    const time = timeIn(columns, row)
    if (time <= previous) return false
    previous = time
  }
  return true
}

/** The size of a piece of joined records: tens of kilobytes, encoded in 0.5 ms. */
const PIECE_BYTES = 48 * 1024

/** Splits joined records into pieces of whole records. A damaged length ends the splitting. */
function* piecesOf(records: Uint8Array): Generator<Uint8Array> {
  const joined = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
  let from = 0
  while (joined.length - from > PIECE_BYTES) {
    let end = from
    while (end - from < PIECE_BYTES && end < joined.length) {
      end += Math.max(1, joined.readUInt16LE(end + FIX_RECORD.length))
    }
    yield joined.subarray(from, end)
    from = end
  }
  if (from < joined.length) yield joined.subarray(from)
}

/** A page that fits into one read unless many rows are hidden. It is read whole. */
async function shortPage(
  source: HistorySource,
  range: Range,
  limit: number,
): Promise<History | null> {
  const task: Task = { source, range, asOf: NOW }
  const page: PositionColumns[] = []
  const toColumns = columnMaker(source, range.after)
  let [shown, next]: [number, number | null] = [0, null]
  for (let place: Place | null = beginOf(task); place !== null && shown <= limit; ) {
    const chunk = await read(task, place, Math.max(limit + 1 - shown, MIN_ROWS))
    if (!chunk.known && task.asOf === NOW) return null
    if (!chunk.known) throw wasDeleted()
    if (task.asOf === NOW) task.asOf = chunk.newest
    for await (const columns of toColumns(chunk.rows)) {
      const missing = limit - shown
      if (missing > 0) page.push({ ...columns, rows: Math.min(missing, columns.rows) })
      shown += columns.rows
    }
    place = chunk.next
  }
  const last = page.at(-1)
  if (shown > limit) next = timeIn(last!, last!.rows - 1)
  return { next, blocks: columnsOf(page) }
}

/** The time of the row that completes the page, if there are more rows after it. */
async function endOfPage(task: Task, from: Place | null, missing: number): Promise<number | null> {
  const { countedRows } = task.source
  let place = from
  for (let left = missing; left > 0 && place !== null; await takeTurn()) {
    const chunk: Read = await read(task, place, Math.min(left, countedRows), true)
    left -= chunk.shown
    place = chunk.next
  }
  // If the read took as many rows as it may, it stopped at the last row of the page.
  return place !== null && (await anyShown(task, place)) ? place.after : null
}

async function anyShown(task: Task, from: Place): Promise<boolean> {
  let rows = 1
  for (let place: Place | null = from; place !== null; rows = task.source.countedRows) {
    const chunk: Read = await read(task, place, rows, true)
    if (chunk.shown > 0) return true
    place = chunk.next
    if (place !== null) await takeTurn()
  }
  return false
}

function halfOpen({ from, to }: TimeRange): { after: number; to: number } {
  return { after: Math.ceil(from) - 1, to: Math.floor(to) }
}

function wasDeleted(): StoreUnavailable {
  return new StoreUnavailable('The object was deleted while it was read.')
}
