import type { AttributeEntry } from '../../../base/domain/attributes/catalogue.ts'
import type { LocalDays } from '../../../base/domain/time/time-zone.ts'
import { type AttributeView, RowReader, type StoredRows, SummaryReader } from '../row-reader.ts'
import { MovementSearch, noMovement } from '../rules/trip-starts.ts'
import type { AttributeRow, AttributeSpans, Summaries } from './attribute-spans.ts'
import { DayTotals, type Lead, type ObjectDay } from './day-totals.ts'

/** A page ends with the day in which it has read so much. */
const MAX_ROWS = 200_000

/** Everything up to a day of an object, by object, then by day. */
export type DayOffset = { readonly object: number; readonly day: number }

export type DaysSelection = {
  /** Ascending. */
  readonly objects: readonly number[]
  readonly days: LocalDays
  /** The first moment, and the first one after the end. Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
  /** Rows before this moment are deleted at some time. Only the newest of them counts. */
  readonly keptFrom: number
  readonly after: DayOffset | null
  readonly limit: number
  /** The entries whose attributes each day has. Absent: none. */
  readonly attributes?: readonly AttributeEntry[] | null
}

/** The stored rows, with the names of their attributes if those are asked for. */
type DayRows = StoredRows & Partial<AttributeView>

/** `next`: the day after which the next page begins. Null: the page is the last one. A page may be short, or empty. */
type DaysPage = { readonly days: readonly ObjectDay[]; readonly next: DayOffset | null }

const LAST_DAY = Number.MAX_SAFE_INTEGER

/**
 * The days of objects with positions, by object, then by day, computed from the stored rows. Rows before `from`
 * only give the counters and the motion with which the first leg begins.
 */
export async function readDays(
  stored: DayRows,
  query: DaysSelection,
  maxRows: number = MAX_ROWS,
): Promise<DaysPage> {
  const { objects, after, limit, attributes, keptFrom } = query
  const reader = new RowReader(stored)
  const summaries =
    attributes && new SummaryReader(stored as AttributeView, attributes, keptFrom, reader)
  const isSpent = () => reader.cost >= maxRows
  const days: ObjectDay[] = []
  for (const object of objects) {
    if (after !== null && !isLeft(object, after)) continue
    for await (const day of daysOf(reader, object, query, summaries)) {
      // One more shows that there is another page.
      if (days.length === limit) return { days, next: days.at(-1)! }
      days.push(day)
      if (isSpent()) return { days, next: { object, day: day.day } }
    }
    if (isSpent()) return { days, next: { object, day: LAST_DAY } }
  }
  return { days, next: null }
}

function isLeft(object: number, after: DayOffset): boolean {
  return object > after.object || (object === after.object && after.day !== LAST_DAY)
}

async function* daysOf(
  reader: RowReader,
  object: number,
  query: DaysSelection,
  summaries: SummaryReader | null | undefined,
): AsyncGenerator<ObjectDay> {
  const { days, until, after } = query
  const isBegun = after?.object === object
  const from = isBegun ? Math.max(query.from, days.startOf(after.day + 1)) : query.from
  let totals: DayTotals | null = null
  let attributes: DayAttributes | null = null
  const withAttributes = (day: ObjectDay) => attributes?.addTo(day) ?? day
  for await (const chunk of reader.from(object, from)) {
    if (totals === null) {
      if (chunk[0]!.time >= until) return
      totals = new DayTotals(object, days, await leadOf(reader, object, from, query))
      if (summaries) attributes = new DayAttributes(await summaries.begun(object, from), days)
    }
    for (const row of chunk) {
      attributes?.add(row)
      for (const ended of totals.add(row)) if (ended.first < until) yield withAttributes(ended)
      // A suspect row does not decide whether the last days end in a silence.
      if (row.time >= until && !row.isSuspect) return
    }
  }
  for (const last of totals?.end() ?? []) if (last.first < until) yield withAttributes(last)
}

async function leadOf(
  reader: RowReader,
  object: number,
  from: number,
  { keptFrom }: DaysSelection,
): Promise<Lead> {
  const search = new MovementSearch()
  let previous: Lead['previous'] = null
  for await (const chunk of reader.before(object, from)) {
    for (const row of chunk) {
      previous ??= row
      const movement = search.add(row)
      if (movement !== null) return { previous, movement }
      if (row.time < keptFrom) return { previous, movement: noMovement() }
    }
  }
  return { previous, movement: noMovement() }
}

const BEFORE_ALL = Number.NEGATIVE_INFINITY

/**
 * The attributes of the days of one object, row by row. The time of a day is that from its first to its last row. The
 * rise to its first value belongs to it.
 */
class DayAttributes {
  private readonly spans: AttributeSpans
  private readonly days: LocalDays
  private open: { readonly day: number; readonly until: number; last: number } | null = null
  /** Those of the days that ended, until somebody takes them. */
  private readonly ended = new Map<number, Summaries>()

  /** `spans`: with the values that hold before the first row. */
  constructor(spans: AttributeSpans, days: LocalDays) {
    this.spans = spans
    this.days = days
  }

  add(row: AttributeRow): void {
    const { days, spans } = this
    if (this.open !== null && row.time >= this.open.until) this.close()
    if (this.open === null) {
      const day = days.dayOf(row.time)
      this.open = { day, until: days.startOf(day + 1), last: row.time }
      spans.open(row.time, BEFORE_ALL)
    }
    spans.add(row)
    this.open.last = row.time
  }

  /** A day with its attributes. It has ended, or no row comes any more. */
  addTo(day: ObjectDay): ObjectDay {
    if (this.open?.day === day.day) this.close()
    const attributes = this.ended.get(day.day)!
    this.ended.delete(day.day)
    return { ...day, attributes }
  }

  private close(): void {
    const { day, last } = this.open!
    this.ended.set(day, this.spans.close(last))
    this.open = null
  }
}
