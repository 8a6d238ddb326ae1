import { FIX_RECORD } from '../../domain/fix-record.ts'
import { takeTurn } from '../../domain/turn.ts'
import { type History, type PositionStore, StoreUnavailable, type TimeRange } from '../store.ts'
import { endOfRecords, piecesOf } from './records.ts'
import {
  type Block,
  beginOf,
  type Copying,
  countStretch,
  NOW,
  type Place,
  type Range,
  readStretch,
} from './stretches.ts'

/** Rows of one statement that reads them: half a millisecond, some 140 kilobytes. */
const BLOCK_ROWS = 2_500
/** Rows of one statement that only counts them: some ten milliseconds. */
const COUNT_ROWS = 50_000
/** Where few are wanted, hidden ones may stand in front of them. */
const LEAST_ROWS = 100

/** Where positions are read: now, or as they were a little while ago. */
export type Sources = { primary: Copying; lagging(): Copying }

/** One request's reading of one range, as of a change. */
type Task = { reading: Copying; range: Range; snapshot: number }

/**
 * Reads positions in short statements, each of which starts where the one before ended. Nothing stays
 * open between them, no transaction and no cursor: a slow reader keeps nothing from being vacuumed,
 * and of one who goes away nothing runs on in the server but the statement of some milliseconds that
 * is under way. The snapshot is a change of the organization; rows inserted after it are passed over.
 */
export function historyReader({
  primary,
  lagging,
}: Sources): Pick<PositionStore, 'history' | 'count'> {
  /** A place that lags may not know yet what has just been made. */
  async function ofKnown<T>(
    mayLag: boolean,
    signal: AbortSignal | undefined,
    read: (reading: Copying) => Promise<T | null>,
  ): Promise<T | null> {
    const late = mayLag ? await read(wantedUntil(lagging(), signal)) : null
    return late ?? read(wantedUntil(primary, signal))
  }

  return {
    async history(organization, object, range, limit, mayLag = false, signal) {
      const half = { organization, object, ...halfOpen(range) }
      const page = await ofKnown(mayLag, signal, (reading) => pageOf(reading, half, limit))
      return page ?? { next: null, blocks: pieces(null) }
    },
    async count(organization, object, range, atMost, mayLag = false, signal) {
      const half = { organization, object, ...halfOpen(range) }
      const count = (reading: Copying) => countOf(reading, half, atMost)
      return (await ofKnown(mayLag, signal, count)) ?? 0
    },
  }
}

/** All that is read for one request, which may be wanted by nobody any more. */
function wantedUntil({ copy }: Copying, signal: AbortSignal | undefined): Copying {
  if (signal === undefined) return { copy }
  return { copy: (statement, values) => copy(statement, values, signal) }
}

/** Null where the organization has no such object. */
async function pageOf(
  reading: Copying,
  range: Range,
  limit: number | null,
): Promise<History | null> {
  if (limit !== null && limit < BLOCK_ROWS) return shortPage(reading, range, limit)
  const place = beginOf(range)
  const first = await readStretch({ reading, range, place, snapshot: NOW, rows: BLOCK_ROWS })
  if (!first.known) return null
  const task = { reading, range, snapshot: first.newest }
  if (limit === null) return { next: null, blocks: blocks(task, first) }
  const next = await endOfPage(task, first.next, limit - first.standing)
  return { next, blocks: blocks({ ...task, range: { ...range, to: next ?? range.to } }, first) }
}

async function countOf(reading: Copying, range: Range, atMost: number): Promise<number | null> {
  const task: Task = { reading, range, snapshot: NOW }
  let counted = 0
  for (let place: Place | null = beginOf(range); place !== null && counted < atMost; ) {
    const rows = Math.min(atMost - counted, COUNT_ROWS)
    const stretch = await countStretch({ ...task, place, rows })
    if (!stretch.known) return null
    if (task.snapshot === NOW) task.snapshot = stretch.newest
    counted += stretch.standing
    place = stretch.next
  }
  return counted
}

/** What follows is asked for while what came before it is encoded and sent. */
async function* blocks(task: Task, first: Block): AsyncGenerator<Uint8Array> {
  for (let reading: Promise<Block> | Block | null = first; reading !== null; ) {
    const { known, records, next }: Block = await reading
    // Its positions go with it, slice by slice: what was read may have holes.
    if (!known) throw wasDeleted()
    reading = null
    if (next !== null && next.after < task.range.to) {
      reading = readStretch({ ...task, place: next, rows: BLOCK_ROWS })
      // Raised where it is awaited, unless nobody wants it any more.
      reading.catch(() => {})
    }
    yield* pieces(records)
  }
}

async function* pieces(joined: Buffer | null): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for (const piece of joined === null ? [] : piecesOf(joined)) {
    if (!isFirst) await takeTurn()
    isFirst = false
    yield piece
  }
}

/** A page that one statement is enough for, unless much of it is hidden: it is read whole. */
async function shortPage(reading: Copying, range: Range, limit: number): Promise<History | null> {
  const read: Buffer[] = []
  let standing = 0
  let snapshot = NOW
  for (let place: Place | null = beginOf(range); place !== null && standing <= limit; ) {
    const rows = Math.max(limit + 1 - standing, LEAST_ROWS)
    const block: Block = await readStretch({ reading, range, place, snapshot, rows })
    if (!block.known && snapshot === NOW) return null
    if (!block.known) throw wasDeleted()
    if (snapshot === NOW) snapshot = block.newest
    if (block.records !== null) read.push(block.records)
    standing += block.standing
    place = block.next
  }
  const joined = Buffer.concat(read)
  if (standing <= limit) return { next: null, blocks: pieces(joined) }
  const last = endOfRecords(joined, limit - 1)
  const end = last + joined.readUInt16LE(last + FIX_RECORD.length)
  const next = joined.readUIntLE(last + FIX_RECORD.timeDevice, 6)
  return { next, blocks: pieces(joined.subarray(0, end)) }
}

/** The time of the row that is still missing by so many, where others stand beyond it. */
async function endOfPage(task: Task, from: Place | null, missing: number): Promise<number | null> {
  let place = from
  for (let left = missing; left > 0 && place !== null; ) {
    const stretch = await countStretch({ ...task, place, rows: Math.min(left, COUNT_ROWS) })
    left -= stretch.standing
    place = stretch.next
  }
  // A statement that passed all that it may stopped at the last row of the page.
  return place !== null && (await anyStanding(task, place)) ? place.after : null
}

async function anyStanding(task: Task, from: Place): Promise<boolean> {
  let rows = 1
  for (let place: Place | null = from; place !== null; rows = COUNT_ROWS) {
    const stretch = await countStretch({ ...task, place, rows })
    if (stretch.standing > 0) return true
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
