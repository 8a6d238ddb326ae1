import { takeTurn } from '../../domain/common/slots.ts'
import {
  columnMemory,
  columnsOfRecords,
  type PositionColumns,
  timeIn,
} from '../../domain/position/position-columns.ts'
import type { TimeRange } from '../../domain/time/time.ts'
import type { History, PositionStore } from '../../store/position-store.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { RowReader } from '../connection/reading.ts'
import {
  type Block,
  beginOf,
  countStretch,
  NOW,
  piecesOf,
  type Range,
  readStretch,
  type StretchPlace,
} from './stretches.ts'

/** Rows read by one statement: 0.5 ms, about 140 kB. */
const BLOCK_ROWS = 2_500
/** Rows counted by one statement: about 10 ms. */
const COUNT_ROWS = 50_000
/** When few rows are wanted, there may be hidden rows before them. */
const MIN_ROWS = 100

/** The place to read from: now, or with a known delay. */
export type Sources = { primary: RowReader; lagging(): RowReader }

/** One request's reads of one range. `asOf`: see `StretchBounds`. */
type Task = { reader: RowReader; range: Range; asOf: number }

/**
 * Reads positions in short statements. Each starts where the one before ended. No transaction and no
 * cursor stays open between them: a slow reader does not hold back VACUUM, and after an aborted request
 * only a statement of some milliseconds may still run. All statements of a request show the rows as of the
 * newest change that the first one saw. Rows of later changes are skipped.
 */
export function historyReader({
  primary,
  lagging,
}: Sources): Pick<PositionStore, 'history' | 'count'> {
  /** A replica may not know yet what was just created. */
  async function ofKnown<T>(
    mayLag: boolean,
    signal: AbortSignal | undefined,
    read: (reader: RowReader) => Promise<T | null>,
  ): Promise<T | null> {
    const lagged = mayLag ? await read(wantedUntil(lagging(), signal)) : null
    return lagged ?? read(wantedUntil(primary, signal))
  }

  return {
    async history(organization, object, range, limit, wanted = {}) {
      const { mayLag = false, signal } = wanted
      const objectRange: Range = { organization, object, ...halfOpen(range) }
      const page = await ofKnown(mayLag, signal, (reader) => pageOf(reader, objectRange, limit))
      return page ?? { next: null, blocks: columnsOf([]) }
    },
    async count(organization, object, range, atMost, { mayLag = false, signal } = {}) {
      const objectRange: Range = { organization, object, ...halfOpen(range) }
      const count = (reader: RowReader) => countOf(reader, objectRange, atMost)
      return (await ofKnown(mayLag, signal, count)) ?? 0
    },
  }
}

/** The reads of one request. They stop when the request is aborted. */
function wantedUntil({ copy }: RowReader, signal: AbortSignal | undefined): RowReader {
  if (signal === undefined) return { copy }
  return { copy: (statement, values) => copy(statement, values, signal) }
}

/** Null if the organization has no such object. */
async function pageOf(
  reader: RowReader,
  range: Range,
  limit: number | null,
): Promise<History | null> {
  if (limit !== null && limit < BLOCK_ROWS) return shortPage(reader, range, limit)
  const place = beginOf(range)
  const first = await readStretch({ reader, range, place, asOf: NOW, rows: BLOCK_ROWS })
  if (!first.known) return null
  const task = { reader, range, asOf: first.newest }
  if (limit === null) return { next: null, blocks: blocks(task, first) }
  const next = await endOfPage(task, first.next, limit - first.shown)
  return { next, blocks: blocks({ ...task, range: { ...range, to: next ?? range.to } }, first) }
}

async function countOf(reader: RowReader, range: Range, atMost: number): Promise<number | null> {
  const task: Task = { reader, range, asOf: NOW }
  let counted = 0
  for (let place: StretchPlace | null = beginOf(range); place !== null && counted < atMost; ) {
    const rows = Math.min(atMost - counted, COUNT_ROWS)
    const stretch = await countStretch({ ...task, place, rows })
    if (!stretch.known) return null
    if (task.asOf === NOW) task.asOf = stretch.newest
    counted += stretch.shown
    place = stretch.next
  }
  return counted
}

/** Reads the next block while the one before is encoded and sent. */
async function* blocks(task: Task, first: Block): AsyncGenerator<PositionColumns> {
  for (let coming: Promise<Block> | Block | null = first; coming !== null; ) {
    const { known, rows, next }: Block = await coming
    // The object was deleted. Its positions go slice by slice, so the read rows may have gaps.
    if (!known) throw wasDeleted()
    coming = null
    if (next !== null && next.after < task.range.to) {
      coming = readStretch({ ...task, place: next, rows: BLOCK_ROWS })
      // The error appears where the block is awaited, or nowhere if nobody awaits it.
      coming.catch(() => {})
    }
    yield* columnsOf(rows)
  }
}

async function* columnsOf(parts: Block['rows']): AsyncGenerator<PositionColumns> {
  const memory = columnMemory()
  let isFirst = true
  for (const part of parts) {
    for (const piece of part instanceof Uint8Array ? piecesOf(part) : [part]) {
      if (!isFirst) await takeTurn()
      isFirst = false
      yield piece instanceof Uint8Array ? columnsOfRecords(piece, memory) : piece
    }
  }
}

/** A page that fits into one statement unless many rows are hidden. It is read whole. */
async function shortPage(reader: RowReader, range: Range, limit: number): Promise<History | null> {
  const page: PositionColumns[] = []
  let [shown, next]: [number, number | null] = [0, null]
  let asOf = NOW
  for (let place: StretchPlace | null = beginOf(range); place !== null && shown <= limit; ) {
    const rows = Math.max(limit + 1 - shown, MIN_ROWS)
    const block: Block = await readStretch({ reader, range, place, asOf, rows })
    if (!block.known && asOf === NOW) return null
    if (!block.known) throw wasDeleted()
    if (asOf === NOW) asOf = block.newest
    for (const part of block.rows) {
      const columns = part instanceof Uint8Array ? columnsOfRecords(part) : part
      const missing = limit - shown
      if (missing > 0) page.push({ ...columns, rows: Math.min(missing, columns.rows) })
      shown += columns.rows
    }
    place = block.next
  }
  const last = page.at(-1)
  if (shown > limit) next = timeIn(last!, last!.rows - 1)
  return { next, blocks: columnsOf(page) }
}

/** The time of the row that completes the page, if there are more rows after it. */
async function endOfPage(
  task: Task,
  from: StretchPlace | null,
  missing: number,
): Promise<number | null> {
  let place = from
  for (let left = missing; left > 0 && place !== null; ) {
    const stretch = await countStretch({ ...task, place, rows: Math.min(left, COUNT_ROWS) })
    left -= stretch.shown
    place = stretch.next
  }
  // If the statement read as many rows as it may, it stopped at the last row of the page.
  return place !== null && (await anyShown(task, place)) ? place.after : null
}

async function anyShown(task: Task, from: StretchPlace): Promise<boolean> {
  let rows = 1
  for (let place: StretchPlace | null = from; place !== null; rows = COUNT_ROWS) {
    const stretch = await countStretch({ ...task, place, rows })
    if (stretch.shown > 0) return true
    place = stretch.next
  }
  return false
}

function halfOpen({ from, to }: TimeRange): { after: number; to: number } {
  return { after: Math.ceil(from) - 1, to: Math.floor(to) }
}

function wasDeleted(): StoreUnavailable {
  return new StoreUnavailable('The object was deleted while it was read.')
}
