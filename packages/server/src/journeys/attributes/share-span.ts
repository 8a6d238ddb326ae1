import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'
import { type ShareSummary, VALUE_ROWS } from './summary.ts'

/** Different values of a span that are counted, those that came first. */
const MAX_COUNTED = 1_000
/** Values of a span that are shown. */
const MAX_SHOWN = 20

/** A text or a switch over spans of time: how long each of its values held. */
export class ShareSpan {
  private start = 0
  private first: AttributeValue | null = null
  private last: AttributeValue | null = null
  /** Milliseconds. */
  private readonly times = new Map<AttributeValue, number>()
  /** The value that holds, since when it does in this span, and the rows since it came. */
  private held: AttributeValue | undefined
  private since = 0
  private age = 0

  /** Takes the value of a row before the span, newest first. Returns whether it needs no older ones. */
  lead(value: AttributeValue | undefined): boolean {
    if (this.held !== undefined) return true
    if (value === undefined) {
      this.age += 1
      return false
    }
    this.held = value
    return true
  }

  open(start: number, _countsAfter: number): void {
    this.start = start
    this.since = start
    this.first = null
    this.last = null
    this.times.clear()
  }

  add(time: number, value: AttributeValue | undefined): void {
    this.age += 1
    if (value === undefined && this.age <= VALUE_ROWS) return
    this.count(time)
    this.held = value
    if (value === undefined) return
    this.age = 0
    this.first ??= value
    this.last = value
    this.lengthen(value, 0)
  }

  close(end: number): ShareSummary | null {
    this.count(end)
    const { first, last, held, times } = this
    const all = end - this.start
    if (all === 0) {
      return held === undefined ? null : { first, last, values: [{ value: held, share: 1 }] }
    }
    if (times.size === 0) return null
    const longest = [...times].sort(([a, time], [b, other]) => other - time || inOrder(a, b))
    const shown = longest.slice(0, MAX_SHOWN)
    return { first, last, values: shown.map(([value, time]) => ({ value, share: time / all })) }
  }

  /** Counts the time of the held value up to a moment. */
  private count(time: number): void {
    const { held, since } = this
    if (held !== undefined && time > since) this.lengthen(held, time - since)
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
