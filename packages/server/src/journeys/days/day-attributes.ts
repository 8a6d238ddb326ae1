import type { LocalDays } from '../../domain/time/time-zone.ts'
import type { AttributeRow, AttributeSpans } from '../attributes/attribute-spans.ts'
import type { Summaries } from '../attributes/summary.ts'
import type { ObjectDay } from './object-day.ts'

const BEFORE_ALL = Number.NEGATIVE_INFINITY

/**
 * The attributes of the days of one object, row by row. The time of a day is that from its first to its last row. The
 * rise to its first value belongs to it.
 */
export class DayAttributes {
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
