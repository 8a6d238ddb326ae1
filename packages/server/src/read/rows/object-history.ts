import { Readable } from 'node:stream'
import {
  type PositionColumns,
  pickRows,
  timeIn,
} from '../../base/domain/position/position-columns.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import { clientGone } from '../../base/http/send-whole.ts'
import type { History } from '../../engine/store/position-store.ts'
import type { Call } from '../call.ts'

/** The rows of one object that a request asks for. */
export type HistorySelection = {
  readonly object: number
  readonly range: TimeRange
  /** Null: every row. */
  readonly stepMs: number | null
  /** The time of the last row that an earlier page gave. */
  readonly given: number | null
}

/** Opens a page of the rows. */
export async function openHistory(
  { api, organization, request }: Call,
  { object, range, stepMs, given }: HistorySelection,
  limit: number | null,
): Promise<History> {
  const gone = clientGone(request.connection)
  // Rows of the first page must not be missing in the next one.
  const wanted = { mayLag: given === null, signal: gone }
  const rows = stepMs === null ? limit : null
  const history = await api.positions.history(organization.id, object, range, rows, wanted)
  if (stepMs === null) return history
  const taken = given === null ? null : intervalOf(given, stepMs)
  return steppedHistory(history, stepMs, taken, limit, gone)
}

/** The number of rows, counted up to `atMost`. */
export async function countRows(
  call: Call,
  selection: HistorySelection,
  atMost: number,
): Promise<number> {
  const { api, organization, request } = call
  const { object, range, stepMs, given } = selection
  const gone = clientGone(request.connection)
  const wanted = { mayLag: given === null, signal: gone }
  if (stepMs !== null) {
    const every = await api.positions.history(organization.id, object, range, null, wanted)
    return countSteps(every, stepMs, atMost, gone)
  }
  return api.positions.count(organization.id, object, range, atMost, wanted)
}

export function intervalOf(time: number, stepMs: number): number {
  return Math.floor(time / stepMs)
}

/** The places of the rows that were kept, and the interval of the last one: its number, counted from the epoch. */
type Kept = { places: number[]; interval: number | null }

/**
 * The first row of each interval of `stepMs` of UTC. `taken`: the interval whose first row was kept before.
 * The rows are of one object, in the order of their times.
 */
export function firstOfEach(columns: PositionColumns, stepMs: number, taken: number | null): Kept {
  const places: number[] = []
  let interval = taken
  for (let row = 0; row < columns.rows; row += 1) {
    const own = intervalOf(timeIn(columns, row), stepMs)
    if (own === interval) continue
    interval = own
    places.push(row)
  }
  return { places, interval }
}

/**
 * The first row of each interval, and the last one of all, or of each interval of a scope, in memory of their own. `taken`: as
 * for `firstOfEach`. Blocks are of one object, in the order of their times.
 */
async function* thinned(
  blocks: AsyncIterable<PositionColumns>,
  stepMs: number,
  taken: number | null,
): AsyncGenerator<PositionColumns> {
  let interval = taken
  /** The last row, unless it was kept. */
  let last: PositionColumns | null = null
  for await (const block of blocks) {
    const { rows } = block
    if (rows === 0) continue
    if (block.beginsInterval) {
      if (last !== null) yield last
      interval = null
    }
    const kept = firstOfEach(block, stepMs, interval)
    interval = kept.interval
    last = kept.places.at(-1) === rows - 1 ? null : pickRows(block, [rows - 1])
    if (kept.places.length > 0) yield pickRows(block, kept.places)
  }
  if (last !== null) yield last
}

/** A page of a history by step. It is read before it is returned if it has a `limit`. `gone` ends the reading. */
export async function steppedHistory(
  { blocks }: History,
  stepMs: number,
  taken: number | null,
  limit: number | null,
  gone: AbortSignal,
): Promise<History> {
  const all = thinned(untilGone(blocks, gone), stepMs, taken)
  if (limit === null) return { next: null, blocks: all }
  const page: PositionColumns[] = []
  let remaining = limit
  let last: number | null = null
  for await (const columns of all) {
    const rows = Math.min(remaining, columns.rows)
    if (rows > 0) {
      page.push({ ...columns, rows })
      last = timeIn(columns, rows - 1)
      remaining -= rows
    }
    if (rows < columns.rows) return { next: last, blocks: Readable.from(page) }
  }
  return { next: null, blocks: Readable.from(page) }
}

/** The number of rows by step, counted up to `atMost`. */
async function countSteps(
  { blocks }: History,
  stepMs: number,
  atMost: number,
  gone: AbortSignal,
): Promise<number> {
  let count = 0
  for await (const { rows } of thinned(untilGone(blocks, gone), stepMs, null)) {
    count += rows
    if (count >= atMost) return atMost
  }
  return count
}

async function* untilGone(
  blocks: AsyncIterable<PositionColumns>,
  gone: AbortSignal,
): AsyncGenerator<PositionColumns> {
  for await (const block of blocks) {
    gone.throwIfAborted()
    yield block
  }
}
