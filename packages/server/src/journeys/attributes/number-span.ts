import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { type NumberSummary, VALUE_ROWS } from './summary.ts'

/**
 * A number over spans of time. The gain of a counter is the sum of its rises from each value to the next. A rise belongs
 * to the span in which its later value lies, so gains of spans that follow each other add up. A fall is a new start of the
 * counter, and counts nothing.
 */
export class NumberSpan {
  private readonly isCounter: boolean
  private countsAfter = 0
  private first: number | undefined
  private min = 0
  private max = 0
  private gain = 0
  /** The last value, in this span or before it, and the rows since. */
  private last: number | undefined
  private age = 0

  constructor({ isCounter }: Pick<AttributeEntry, 'isCounter'>) {
    this.isCounter = isCounter
  }

  /** Takes the value of a row before the span, newest first. Returns whether it needs no older ones. */
  lead(value: AttributeValue | undefined): boolean {
    if (!this.isCounter || this.last !== undefined) return true
    if (typeof value !== 'number') {
      this.age += 1
      return false
    }
    this.last = value
    return true
  }

  open(_start: number, countsAfter: number): void {
    this.countsAfter = countsAfter
    this.first = undefined
    this.gain = 0
  }

  add(time: number, value: AttributeValue | undefined): void {
    this.age += 1
    if (typeof value !== 'number') return
    const { last } = this
    const isNext = last !== undefined && this.age <= VALUE_ROWS && time > this.countsAfter
    if (isNext && value > last) this.gain += value - last
    if (this.first === undefined) {
      this.first = value
      this.min = value
      this.max = value
    }
    this.min = Math.min(this.min, value)
    this.max = Math.max(this.max, value)
    this.last = value
    this.age = 0
  }

  close(_end: number): NumberSummary | null {
    const { first, last, min, max, gain, isCounter } = this
    if (first === undefined) return null
    return { first, last: last!, min, max, gain: isCounter ? gain : null }
  }
}
