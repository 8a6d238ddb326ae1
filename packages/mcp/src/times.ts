import {
  DAY_MS,
  formatDate,
  formatInstant,
  MINUTE_MS,
  parseDate,
  parseInstant,
} from '../../server/src/base/domain/time/time.ts'
import {
  instantOf,
  type LocalDays,
  localDays,
  offsetsOf,
} from '../../server/src/base/domain/time/time-zone.ts'
import { ToolFault } from './tool-fault.ts'

/** Times are milliseconds since the epoch; the last one is included. */
export type Span = { from: number; to: number }

const HAS_OFFSET = /(?:Z|[+-]\d\d(?::?\d\d)?)$/
const EXAMPLES = 'write a date (2026-11-20) or a time (2026-11-20T08:00)'

/** Dates and times of questions and answers in the time zone of an organization. */
export class Times {
  readonly zone: string
  readonly #days: LocalDays

  constructor(zone: string) {
    this.zone = zone
    this.#days = localDays(zone)
  }

  /** The first and the last millisecond of two moments; a date is the whole day. Throws a `ToolFault`. */
  span(from: string, to: string): Span {
    const span = { from: this.#moment('from', from).from, to: this.#moment('to', to).to }
    if (span.from <= span.to) return span
    throw new ToolFault(`from (${from}) is after to (${to}). Swap them.`)
  }

  /** The last millisecond of a moment; that of a date is the end of the day. Throws a `ToolFault`. */
  end(name: string, given: string): number {
    return this.#moment(name, given).to
  }

  /** `2026-11-20T09:41:10+01:00`: a time of the API on the clocks of the zone. */
  shown(instant: string | number): string {
    const time = typeof instant === 'number' ? instant : Date.parse(instant)
    const offset = offsetsOf(this.zone).offsetAt(time)
    const local = formatInstant(time + offset).replace(/(?:\.000)?Z$/, '')
    const minutes = Math.round(Math.abs(offset) / MINUTE_MS)
    return local + (offset < 0 ? '-' : '+') + clock(minutes)
  }

  /** The same of a time that may be absent. */
  shownOrNull(instant: string | null): string | null {
    return instant === null ? null : this.shown(instant)
  }

  /** The local date of a time. */
  date(time: number): string {
    return formatDate(this.#days.dayOf(time))
  }

  #moment(name: string, given: string): Span {
    const midnight = parseDate(given)
    if (midnight !== undefined) {
      const day = midnight / DAY_MS
      return { from: this.#days.startOf(day), to: this.#days.startOf(day + 1) - 1 }
    }
    const text = given.replace(' ', 'T')
    const parsed = parseInstant(text)
    if (parsed === undefined) {
      throw new ToolFault(`${name} is not a date or time that exists: ${given}; ${EXAMPLES}.`)
    }
    const at = Math.floor(HAS_OFFSET.test(text) ? parsed : instantOf(parsed, this.zone))
    return { from: at, to: at }
  }
}

function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
