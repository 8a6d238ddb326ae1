import type {
  AttributeEntry,
  StoredAttribute,
} from '../../../base/domain/attributes/attribute-catalogue.ts'
import type { ShownFrom } from '../../../base/domain/organization.ts'
import type { TimeRange } from '../../../base/domain/time/time.ts'
import type { LocalDays } from '../../../base/domain/time/time-zone.ts'
import { type ReaderView, visibleParts } from '../../store/change-log.ts'
import { RowReader, type StoredRows } from '../row-reader.ts'
import { MovementSearch, noMovement } from '../rules/trip-starts.ts'
import type { AttributeSpans, Summaries } from './attribute-spans.ts'
import { DayTotals, type Lead, type ObjectDay } from './day-totals.ts'
import { rowsByText, wholeDay } from './days-by-text.ts'
import type { AttributeRow, HeldText } from './held-value.ts'
import { type AttributeView, SummaryReader } from './summary-reader.ts'

/** A page ends with the day in which it has read so much. */
const MAX_ROWS = 200_000

/** Everything before a day of an object, by object, then by day, and some rows of that day. */
export type DayOffset = { readonly object: number; readonly day: number; readonly rows: number }

export type DaysSelection = {
  /** Ascending. */
  readonly objects: readonly number[]
  readonly days: LocalDays
  /** The first moment, and the first one after the end. Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
  /** Rows of an object before this moment are deleted at some time. Only the newest of them counts. */
  readonly keptFrom: ShownFrom
  readonly after: DayOffset | null
  readonly limit: number
  /** The entries whose attributes each day has. Absent: none. */
  readonly attributes?: readonly StoredAttribute[] | null
  /** The entry whose texts have a row of each day each. Absent: a day is one row. */
  readonly by?: AttributeEntry | null
}

/** The stored rows, with the names of their attributes if those are asked for. */
type DayRows = StoredRows & Partial<AttributeView> & Pick<ReaderView, 'intervals'>

/** `next`: where the next page begins. Null: the page is the last one. A page may be short, or empty. */
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
  reader = new RowReader(stored),
): Promise<DaysPage> {
  const { objects, after, limit, attributes, by, keptFrom } = query
  const view = stored as AttributeView
  const summaries =
    attributes || by ? new SummaryReader(view, attributes ?? [], keptFrom, reader) : null
  const isSpent = () => reader.cost >= maxRows
  const days: ObjectDay[] = []
  let offset = after
  for (const object of objects) {
    if (after !== null && !isLeft(object, after)) continue
    const from = Math.max(query.from, keptFrom(object))
    const parts = visibleParts(stored, object, { from, to: query.until - 1 })
    for await (const rows of daysOf(reader, object, parts, query, summaries)) {
      const { day } = rows[0]!
      const given = after?.object === object && after.day === day ? after.rows : 0
      for (const [index, row] of rows.entries()) {
        if (index < given) continue
        // One more shows that there is another page.
        if (days.length === limit) return { days, next: offset }
        days.push(row)
        const isLast = index === rows.length - 1
        offset = isLast ? { object, day: day + 1, rows: 0 } : { object, day, rows: index + 1 }
      }
      if (isSpent()) return { days, next: offset }
    }
    if (isSpent()) return { days, next: { object, day: LAST_DAY, rows: 0 } }
  }
  return { days, next: null }
}

function isLeft(object: number, after: DayOffset): boolean {
  return object > after.object || (object === after.object && after.day !== LAST_DAY)
}

/** The rows of each day. */
async function* daysOf(
  reader: RowReader,
  object: number,
  ranges: readonly TimeRange[],
  query: DaysSelection,
  summaries: SummaryReader | null,
): AsyncGenerator<readonly ObjectDay[]> {
  const joined = query.by ? rowsByText : wholeDay
  let parts: ObjectDay[] = []
  for (const { from, to } of ranges) {
    const range = { ...query, from, until: to + 1 }
    for await (const part of partsOf(reader, object, range, summaries)) {
      if (parts.length > 0 && part.day !== parts[0]!.day) {
        yield joined(parts)
        parts = []
      }
      parts.push(part)
    }
  }
  if (parts.length > 0) yield joined(parts)
}

/** The days, or the parts of them in which the same text holds. */
async function* partsOf(
  reader: RowReader,
  object: number,
  query: DaysSelection,
  summaries: SummaryReader | null,
): AsyncGenerator<ObjectDay> {
  const { days, until, after, by } = query
  const isBegun = after?.object === object
  const from = isBegun ? Math.max(query.from, days.startOf(after.day)) : query.from
  let totals: DayTotals | null = null
  let attributes: DayAttributes | null = null
  let text: HeldText | null = null
  /** The newest row before the next day. */
  let before: number | null = null
  const withAttributes = async (day: ObjectDay) => {
    if (attributes === null) return day
    const start = before ?? day.first
    before = day.last
    const all = attributes.of(day)
    return { ...day, attributes: await summaries!.withLevels(object, all, start, day.last) }
  }
  for await (const chunk of reader.from(object, from)) {
    if (totals === null) {
      if (chunk[0]!.time >= until) {
        reader.settledAt = chunk[0]!.time
        return
      }
      const lead = await leadOf(reader, object, from, query)
      before = lead.previous?.time ?? null
      totals = new DayTotals(object, days, lead)
      if (query.attributes)
        attributes = new DayAttributes(await summaries!.begun(object, from), days)
      if (by) text = await summaries!.textAt(object, from, by)
    }
    for (const row of chunk) {
      const held = text?.add(row)
      attributes?.add(row, held)
      for (const ended of totals.add(row, held)) {
        if (ended.first < until) yield await withAttributes(ended)
      }
      // A suspect row does not decide whether the last days end in a silence.
      if (row.time >= until && !row.isSuspect) {
        reader.settledAt = row.time
        return
      }
    }
  }
  for (const last of totals?.end() ?? []) if (last.first < until) yield await withAttributes(last)
}

async function leadOf(
  reader: RowReader,
  object: number,
  from: number,
  { keptFrom }: DaysSelection,
): Promise<Lead> {
  const search = new MovementSearch()
  const kept = keptFrom(object)
  let previous: Lead['previous'] = null
  for await (const chunk of reader.before(object, from)) {
    for (const row of chunk) {
      previous ??= row
      const movement = search.add(row)
      if (movement !== null) return { previous, movement }
      if (row.time < kept) return { previous, movement: noMovement() }
    }
  }
  return { previous, movement: noMovement() }
}

const BEFORE_ALL = Number.NEGATIVE_INFINITY

/** A day, or a part of it, whose attributes are read. `first`: the time of its first row. */
type OpenAttributes = {
  readonly first: number
  readonly until: number
  readonly text: string | null | undefined
  last: number
}

/**
 * The attributes of the days of one object, or of their parts, row by row. The time of a day is that from its first to its
 * last row; a part begins at the last row of the part before it. The rise to its first value belongs to it.
 */
class DayAttributes {
  private readonly spans: AttributeSpans
  private readonly days: LocalDays
  private open: OpenAttributes | null = null
  /** Those of the days that ended, by their first rows, until somebody takes them. */
  private readonly ended = new Map<number, Summaries>()

  /** `spans`: with the values that hold before the first row. */
  constructor(spans: AttributeSpans, days: LocalDays) {
    this.spans = spans
    this.days = days
  }

  add(row: AttributeRow, text: string | null | undefined): void {
    const { days, spans, open } = this
    const isOtherDay = open === null || row.time >= open.until
    if (isOtherDay || text !== open.text) {
      this.close()
      const until = isOtherDay ? days.startOf(days.dayOf(row.time) + 1) : open.until
      this.open = { first: row.time, until, text, last: row.time }
      spans.open(isOtherDay ? row.time : open.last, BEFORE_ALL)
    }
    spans.add(row)
    this.open!.last = row.time
  }

  /** The attributes of a day. It has ended, or no row comes any more. */
  of(day: ObjectDay): Summaries {
    if (this.open?.first === day.first) this.close()
    const attributes = this.ended.get(day.first)!
    this.ended.delete(day.first)
    return attributes
  }

  private close(): void {
    if (this.open === null) return
    this.ended.set(this.open.first, this.spans.close(this.open.last))
    this.open = null
  }
}
