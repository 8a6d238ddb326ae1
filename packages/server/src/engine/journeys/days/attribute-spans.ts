import type { AttributeEntry } from '../../../base/domain/attributes/attribute-catalogue.ts'
import { sourceNames } from '../../../base/domain/attributes/attribute-source.ts'
import { MappedValues } from '../../../base/domain/attributes/takers.ts'
import type { AttributeValue } from '../../../base/domain/position/attribute.ts'
import type { AttributeNames } from '../../../base/domain/position/attribute-section.ts'
import { CounterGain } from './counter-gain.ts'
import { type AttributeRow, HeldValue } from './held-value.ts'

/**
 * The attributes of one object over spans of time, row by row: a trip, a stop, or one day after the other. A value holds
 * until the next one of its attribute, for `VALUE_ROWS` rows at most, from one span into the next.
 */
export class AttributeSpans {
  private readonly mapped: MappedValues
  /** Null: no position of the object can have the attribute. */
  private readonly spans: readonly (NumberSpan | ShareSpan | null)[]

  constructor(entries: readonly AttributeEntry[], object: number, names: AttributeNames) {
    this.mapped = new MappedValues(entries, object, names, true)
    const sent = new Set(names.map(({ name }) => name))
    this.spans = entries.map((entry) => {
      // `LevelTrack` reads levels.
      if (entry.isLevel || !sourceNames(entry).some((name) => sent.has(name))) return null
      return entry.type === 'number' ? new NumberSpan(entry) : new ShareSpan(entry)
    })
  }

  get isEmpty(): boolean {
    return this.spans.every((span) => span === null)
  }

  /** Takes a row before the first span, newest first. Returns whether older ones are needed. */
  lead(row: AttributeRow): boolean {
    const values = this.read(row)
    let isMissing = false
    for (let i = 0; i < values.length; i++) {
      if (this.spans[i]?.lead(values[i], row) === false) isMissing = true
    }
    return isMissing
  }

  /** Begins a span. A rise counts for it if its later value comes after `countsAfter`. */
  open(start: number, countsAfter: number): void {
    for (const span of this.spans) span?.open(start, countsAfter)
  }

  add(row: AttributeRow): void {
    const values = this.read(row)
    for (let i = 0; i < values.length; i++) this.spans[i]?.add(row, values[i])
  }

  /** Ends the span. By entry; null: no value. */
  close(end: number): Summaries {
    return this.spans.map((span) => span?.close(end) ?? null)
  }

  private read({ attributes }: AttributeRow): readonly (AttributeValue | undefined)[] {
    const { values, clear, take } = this.mapped
    clear()
    attributes?.(take)
    return values
  }
}

/** The attribute of an object over the time of a trip, a stop or a day. */
export type Summary = NumberSummary | ShareSummary

/** By the entries that an answer shows. Null: no value. */
export type Summaries = readonly (Summary | null)[]

/** Whole units of 10^-decimals of the catalogue. */
export type NumberSummary = {
  readonly first: number
  readonly last: number
  readonly min: number
  readonly max: number
  /** The sum of the rises of a counter. Null: it is not a counter. */
  readonly gain: number | null
  /**
   * The sums of a level, whose `first`, `last`, `min` and `max` are smoothed too. Absent: the number is not a level.
   */
  readonly sums?: LevelSums
}

/** The use of a level, `first - last + filled - drained`, and its rises and falls beyond the threshold. */
export type LevelSums = {
  readonly used: number
  readonly filled: number
  readonly drained: number
}

/** Texts or switches. */
export type ShareSummary = {
  /** Null: only a value from before its time holds. */
  readonly first: AttributeValue | null
  readonly last: AttributeValue | null
  /** The milliseconds that each value held, and those of its whole time. */
  readonly times: ReadonlyMap<AttributeValue, number>
  readonly time: number
}

/** Values of a span that are shown. */
const MAX_SHOWN = 20

/** The values that held longest, with the parts of the time in which they did. */
export function longestValues({
  times,
  time: all,
}: ShareSummary): { value: AttributeValue; share: number }[] {
  const longest = [...times].sort(([a, time], [b, other]) => other - time || inOrder(a, b))
  return longest
    .slice(0, MAX_SHOWN)
    .map(([value, time]) => ({ value, share: all === 0 ? 1 : time / all }))
}

/**
 * A number over spans of time. What a counter gained up to a value belongs to the span of that value, so gains of spans that
 * follow each other add up.
 */
class NumberSpan {
  private readonly counter: CounterGain | null
  private countsAfter = 0
  private first: number | undefined
  private min = 0
  private max = 0
  private gain = 0
  private last = 0

  constructor(entry: AttributeEntry) {
    this.counter = entry.isCounter ? new CounterGain(entry) : null
  }

  /** Takes the value of a row before the span, newest first. Returns whether it needs no older ones. */
  lead(value: AttributeValue | undefined, { time }: AttributeRow): boolean {
    return this.counter?.lead(time, value as number | undefined) ?? true
  }

  open(_start: number, countsAfter: number): void {
    this.countsAfter = countsAfter
    this.first = undefined
    this.gain = 0
  }

  add({ time }: AttributeRow, value: AttributeValue | undefined): void {
    const gained = this.counter?.next(time, value as number | undefined) ?? 0
    if (time > this.countsAfter) this.gain += gained
    if (typeof value !== 'number') return
    if (this.first === undefined) {
      this.first = value
      this.min = value
      this.max = value
    }
    this.min = Math.min(this.min, value)
    this.max = Math.max(this.max, value)
    this.last = value
  }

  close(_end: number): NumberSummary | null {
    const { first, last, min, max, gain, counter } = this
    if (first === undefined) return null
    return { first, last, min, max, gain: counter === null ? null : gain }
  }
}

/** Different values of a span that are counted, those that came first. */
const MAX_COUNTED = 1_000

/** A text or a switch over spans of time: how long each of its values held. */
class ShareSpan {
  private start = 0
  private first: AttributeValue | null = null
  private last: AttributeValue | null = null
  /** Milliseconds. */
  private readonly times = new Map<AttributeValue, number>()
  private readonly held: HeldValue
  /** Since when the held value does in this span. */
  private since = 0

  constructor(entry: AttributeEntry) {
    this.held = new HeldValue(entry)
  }

  /** Takes the value of a row before the span, newest first. Returns whether it needs no older ones. */
  lead(value: AttributeValue | undefined, row: AttributeRow): boolean {
    return this.held.lead(value, row)
  }

  open(start: number, _countsAfter: number): void {
    this.start = start
    this.since = start
    this.first = null
    this.last = null
    this.times.clear()
  }

  add(row: AttributeRow, value: AttributeValue | undefined): void {
    const { held } = this
    const { value: before, until } = held
    held.next(value, row)
    if (value !== undefined || held.value !== before) this.count(row.time, before, until)
    if (value !== undefined) {
      this.first ??= value
      this.last = value
      this.lengthen(value, 0)
    }
    if (!held.endsAt(row)) return
    this.count(row.time, held.value, held.until)
    held.value = undefined
  }

  close(end: number): ShareSummary | null {
    const { value, until } = this.held
    this.count(end, value, until)
    const { first, last, times } = this
    const time = end - this.start
    // At a single moment no time passes, and one value holds.
    if (time === 0) times.clear()
    if (time === 0 && value !== undefined) times.set(value, 0)
    return times.size === 0 ? null : { first, last, times: new Map(times), time }
  }

  /** Counts the time of a value that holds until a moment up to another one. */
  private count(time: number, value: AttributeValue | undefined, until: number): void {
    const held = Math.min(time, until) - this.since
    if (value !== undefined && held > 0) this.lengthen(value, held)
    this.since = time
  }

  private lengthen(value: AttributeValue, by: number): void {
    const known = this.times.get(value)
    if (known !== undefined || this.times.size < MAX_COUNTED)
      this.times.set(value, (known ?? 0) + by)
  }
}

function inOrder(a: AttributeValue, b: AttributeValue): number {
  return String(a) < String(b) ? -1 : 1
}
