import { type AttributeNames, readSection } from '../../domain/attributes/attribute-section.ts'
import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { RawValues } from '../../domain/attributes/raw-values.ts'
import { shownValue, unitsOf } from '../../domain/attributes/shown-value.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { NumberSpan } from './number-span.ts'
import { ShareSpan } from './share-span.ts'
import type { Summaries } from './summary.ts'

/** The part of a stored position that attributes are read from. */
export type AttributeRow = Pick<TrackRow, 'time' | 'attributes'>

/**
 * The attributes of one object over spans of time, row by row: a trip, a stop, or one day after the other. A value holds
 * until the next one of its attribute, for `VALUE_ROWS` rows at most, from one span into the next.
 */
export class AttributeSpans {
  private readonly raw: RawValues
  /** Null: no position of the object can have the attribute. */
  private readonly spans: readonly (NumberSpan | ShareSpan | null)[]
  private readonly valuesOf: readonly ValueOf[]

  constructor(entries: readonly AttributeEntry[], names: AttributeNames) {
    this.raw = new RawValues(entries, names)
    this.spans = entries.map((entry) => {
      const isSent = names.some(({ name }) => entry.sources.includes(name))
      if (!isSent) return null
      return entry.type === 'number' ? new NumberSpan(entry) : new ShareSpan()
    })
    this.valuesOf = entries.map((entry): ValueOf => {
      const isNumber = entry.type === 'number'
      return (raw) => (isNumber ? unitsOf(raw, entry) : shownValue(raw, entry))
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
      if (this.spans[i]?.lead(values[i]) === false) isMissing = true
    }
    return isMissing
  }

  /** Begins a span. A rise counts for it if its later value comes after `countsAfter`. */
  open(start: number, countsAfter: number): void {
    for (const span of this.spans) span?.open(start, countsAfter)
  }

  add(row: AttributeRow): void {
    const values = this.read(row)
    for (let i = 0; i < values.length; i++) this.spans[i]?.add(row.time, values[i])
  }

  /** Ends the span. By entry; null: no value. */
  close(end: number): Summaries {
    return this.spans.map((span) => span?.close(end) ?? null)
  }

  private read({ attributes }: AttributeRow): readonly (AttributeValue | undefined)[] {
    const { values, clear, take } = this.raw
    clear()
    if (attributes === null) return values
    readSection(attributes.bytes, attributes.end, take)
    for (let i = 0; i < values.length; i++) {
      const raw = values[i]
      if (raw !== undefined) values[i] = this.valuesOf[i]!(raw)
    }
    return values
  }
}

/** A number in whole units of 10^-decimals, or another value as answers show it. */
type ValueOf = (raw: AttributeValue) => AttributeValue | undefined
