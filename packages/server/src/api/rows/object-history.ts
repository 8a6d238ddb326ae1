import { Readable } from 'node:stream'
import { fixRecordsIn } from '../../domain/position/fix-records-in.ts'
import type { TimeRange } from '../../domain/time/time.ts'
import { clientGone } from '../../http/send-whole.ts'
import type { History } from '../../store/position-store.ts'
import type { Call } from '../operation.ts'

/** The rows of one object that a request asks for. */
export type HistorySelection = {
  readonly object: number
  readonly range: TimeRange
  /** Null: every row. */
  readonly stepMs: number | null
  /** The time of the last row that an earlier page gave. */
  readonly given: number | null
  readonly hasAttributes: boolean
}

/** Opens a page of the rows. */
export async function openHistory(
  { api, organization, request }: Call,
  { object, range, stepMs, given, hasAttributes }: HistorySelection,
  limit: number | null,
): Promise<History> {
  const gone = clientGone(request.connection)
  // Rows of the first page must not be missing in the next one.
  const wanted = { mayLag: given === null, hasAttributes, signal: gone }
  const rows = stepMs === null ? limit : null
  const history = await api.positions.history(organization.id, object, range, rows, wanted)
  if (stepMs === null) return history
  const taken = given === null ? null : intervalOf(given, stepMs)
  return steppedHistory(history, stepMs, taken, limit, gone)
}

/** Whether there are more rows than `most`. */
export async function isLongerThan(
  call: Call,
  selection: HistorySelection,
  most: number,
): Promise<boolean> {
  const { api, organization, request } = call
  const { object, range, stepMs, given } = selection
  const gone = clientGone(request.connection)
  const wanted = { mayLag: given === null, hasAttributes: false, signal: gone }
  if (stepMs !== null) {
    const every = await api.positions.history(organization.id, object, range, null, wanted)
    return hasMoreSteps(every, stepMs, most, gone)
  }
  const rows = await api.positions.count(organization.id, object, range, most + 1, wanted)
  return rows > most
}

/** The records that were kept, and the interval of the last one: its number, counted from the epoch. */
type Kept = { records: Uint8Array; interval: number | null }

export function intervalOf(time: number, stepMs: number): number {
  return Math.floor(time / stepMs)
}

/**
 * The first record of each interval of `stepMs` of UTC. `taken`: the interval whose first record was kept
 * before. The records are of one object, in the order of their times.
 */
export function firstOfEach(records: Uint8Array, stepMs: number, taken: number | null): Kept {
  const { ends, times } = fixRecordsIn(records)
  const kept: Uint8Array[] = []
  let interval = taken
  for (const [index, time] of times.entries()) {
    const own = intervalOf(time, stepMs)
    if (own === interval) continue
    interval = own
    kept.push(records.subarray(index === 0 ? 0 : ends[index - 1], ends[index]))
  }
  return { records: kept.length === 1 ? kept[0]! : Buffer.concat(kept), interval }
}

/**
 * The first record of each interval, and the last one of all. `taken`: as for `firstOfEach`. Blocks are of
 * one object, in the order of their times.
 */
async function* thinned(
  blocks: AsyncIterable<Uint8Array>,
  stepMs: number,
  taken: number | null,
): AsyncGenerator<Uint8Array> {
  let interval = taken
  /** The last record, unless it was kept. */
  let last: Uint8Array | null = null
  for await (const block of blocks) {
    const kept = firstOfEach(block, stepMs, interval)
    interval = kept.interval
    last = lastUnless(block, kept.records)
    if (kept.records.length > 0) yield kept.records
  }
  if (last !== null) yield last
}

/** A copy of the last record of a block, unless it was kept. */
function lastUnless(block: Uint8Array, kept: Uint8Array): Uint8Array | null {
  const { ends, times } = fixRecordsIn(block)
  if (times.length === 0 || fixRecordsIn(kept).times.at(-1) === times.at(-1)) return null
  return Buffer.from(block.subarray(ends.at(-2) ?? 0))
}

/** A page of a history by step. It is read before it is returned if it has a `limit`. `gone` ends the reading. */
export async function steppedHistory(
  { blocks }: History,
  stepMs: number,
  taken: number | null,
  limit: number | null,
  gone: AbortSignal,
): Promise<History> {
  const rows = thinned(untilGone(blocks, gone), stepMs, taken)
  if (limit === null) return { next: null, blocks: rows }
  const page: Uint8Array[] = []
  let remaining = limit
  let last: number | null = null
  for await (const records of rows) {
    const { ends, times } = fixRecordsIn(records)
    const count = Math.min(remaining, times.length)
    if (count > 0) {
      page.push(Buffer.from(records.subarray(0, ends[count - 1])))
      last = times[count - 1]!
      remaining -= count
    }
    if (count < times.length) return { next: last, blocks: Readable.from(page) }
  }
  return { next: null, blocks: Readable.from(page) }
}

/** Whether there are more rows by step than `most`. */
async function hasMoreSteps(
  { blocks }: History,
  stepMs: number,
  most: number,
  gone: AbortSignal,
): Promise<boolean> {
  let rows = 0
  for await (const records of thinned(untilGone(blocks, gone), stepMs, null)) {
    rows += fixRecordsIn(records).times.length
    if (rows > most) return true
  }
  return false
}

async function* untilGone(
  blocks: AsyncIterable<Uint8Array>,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    gone.throwIfAborted()
    yield block
  }
}
