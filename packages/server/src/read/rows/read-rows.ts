import {
  columnsOfRecords,
  type PositionColumns,
  pickRows,
  timeIn,
} from '../../base/domain/position/position-columns.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import { newestShown, type ReaderView, visibleParts } from '../../engine/store/change-log.ts'
import { firstOfEach, intervalOf } from './object-history.ts'

/** The last row that a page gave: the index of its object among those asked for, and its time. */
export type RowOffset = { readonly index: number; readonly time: number }

type RowsSelection = {
  /** In the order asked. Null: the organization does not have it. */
  readonly objects: readonly (number | null)[]
  rangeOf(object: number): TimeRange
  /** Null: every row. */
  readonly stepMs: number | null
  readonly after: RowOffset | null
  readonly limit: number
}

/** Adjacent rows of one object. A page may have several runs of one. */
export type RowRun = { readonly object: number; readonly columns: PositionColumns }

/** `next`: the last row of the page. Null: there is no page after it. */
export type RowsPage = { readonly runs: readonly RowRun[]; readonly next: RowOffset | null }

/** The most rows of one read, so that they are encoded in a turn. */
const RUN_ROWS = 500
/** Objects whose rows are looked for at once. */
const LOOK_AHEAD = 250

/** A page of the rows of several objects, by object as asked, then by time. */
export async function readRows(view: ReaderView, selection: RowsSelection): Promise<RowsPage> {
  const { limit, after } = selection
  const runs: RowRun[] = []
  let remaining = limit
  let last: RowOffset | null = null
  for await (const index of objectsWithRows(view, selection)) {
    const object = selection.objects[index]!
    const given = after?.index === index ? after.time : null
    for await (const columns of rowsOf(view, selection, object, given)) {
      // One more row than the page has room for shows that there is another page.
      if (remaining === 0) return { runs, next: last }
      const rows = Math.min(remaining, columns.rows)
      runs.push({ object, columns: { ...columns, rows } })
      last = { index, time: timeIn(columns, rows - 1) }
      remaining -= rows
      if (rows < columns.rows) return { runs, next: last }
    }
  }
  return { runs, next: null }
}

/** The indices of the objects from `after` on that have rows in the range. */
async function* objectsWithRows(
  view: ReaderView,
  { objects, rangeOf, after }: RowsSelection,
): AsyncGenerator<number> {
  for (let from = after?.index ?? 0; from < objects.length; from += LOOK_AHEAD) {
    const group = objects.slice(from, from + LOOK_AHEAD)
    const own = group.filter((object) => object !== null)
    const wanted = own.map((object) => ({ object, ...rangeOf(object) }))
    const found = new Set((await newestShown(view, wanted)).map(({ object }) => object))
    for (const [index, object] of group.entries()) {
      if (object !== null && found.has(object)) yield from + index
    }
  }
}

/**
 * The rows of an object, in runs. `given`: the last one that an earlier page gave. The range may begin after it, because
 * rows have expired since.
 */
function rowsOf(
  view: ReaderView,
  { rangeOf, stepMs }: RowsSelection,
  object: number,
  given: number | null,
): AsyncGenerator<PositionColumns> {
  const range = rangeOf(object)
  return stepMs === null
    ? everyRow(view, object, Math.max(given ?? -1, range.from - 1), range.to)
    : rowsByStep(view, object, range, stepMs, given)
}

async function* everyRow(
  view: ReaderView,
  object: number,
  after: number,
  to: number,
): AsyncGenerator<PositionColumns> {
  for (let last = after; ; ) {
    const parts = await view.range(object, last, to, RUN_ROWS)
    yield* parts
    if (rowsIn(parts) < RUN_ROWS) return
    last = lastTimeIn(parts.at(-1)!)
  }
}

/** The first row of each interval, and the last row of the range, or of each of its parts that a key sees. */
async function* rowsByStep(
  view: ReaderView,
  object: number,
  range: TimeRange,
  stepMs: number,
  given: number | null,
): AsyncGenerator<PositionColumns> {
  for (const part of visibleParts(view, object, range)) {
    const { from, to } = part
    if (given !== null && to <= given && view.intervals !== undefined) continue
    const isBegun = view.intervals === undefined || (given !== null && from <= given)
    yield* partByStep(view, object, part, stepMs, isBegun ? given : null)
  }
}

/** A read that ends within an interval continues at the next one, by index, so that each read finds a row. */
async function* partByStep(
  view: ReaderView,
  object: number,
  { from, to }: TimeRange,
  stepMs: number,
  given: number | null,
): AsyncGenerator<PositionColumns> {
  const endOf = (interval: number) => (interval + 1) * stepMs - 1
  let interval = given === null ? null : intervalOf(given, stepMs)
  let lastGiven = given ?? Number.NEGATIVE_INFINITY
  const givenUntil = interval === null ? -1 : endOf(interval)
  for (let after = Math.max(givenUntil, from - 1); after < to; ) {
    const parts = await view.range(object, after, to, RUN_ROWS)
    for (const columns of parts) {
      const kept = firstOfEach(columns, stepMs, interval)
      interval = kept.interval
      if (kept.places.length === 0) continue
      const picked = pickRows(columns, kept.places)
      lastGiven = lastTimeIn(picked)
      yield picked
    }
    if (rowsIn(parts) < RUN_ROWS) break
    after = endOf(interval!)
  }
  const [last] = await view.newest([object], { from, to })
  if (last === undefined || last.time <= lastGiven) return
  const [record] = await view.positions([last])
  if (record) yield columnsOfRecords(record)
}

function rowsIn(parts: readonly PositionColumns[]): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0)
}

function lastTimeIn(columns: PositionColumns): number {
  return timeIn(columns, columns.rows - 1)
}
