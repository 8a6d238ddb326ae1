import type { LevelPoint } from './level-state.ts'

/** A level over the time of a trip, a stop or a day, in units of the level. */
export type LevelSummary = {
  readonly first: number
  readonly last: number
  readonly min: number
  readonly max: number
  readonly filled: number
  readonly drained: number
  /** `first - last + filled - drained`. */
  readonly used: number
}

/**
 * A level over spans of time that follow each other. A level is valid until the next one, so the last of a span is the
 * first of the next, and `used`, `filled` and `drained` of spans add up to those of the whole time. A change between two
 * points belongs to the span of the later one, after its start.
 */
export class LevelSpan {
  /** The newest point. Undefined: there was none. */
  private last: LevelPoint | undefined
  private first: LevelPoint | undefined
  private min = 0
  private max = 0

  /** Begins a span after the points that were taken. Those before the first span give it its first level. */
  open(): void {
    this.first = undefined
    if (this.last !== undefined) this.begin(this.last)
  }

  add(point: LevelPoint): void {
    if (this.first === undefined) this.begin(point)
    this.min = Math.min(this.min, point.level)
    this.max = Math.max(this.max, point.level)
    this.last = point
  }

  /** Ends the span. Null: there is no level yet. */
  close(): LevelSummary | null {
    const { first, last, min, max } = this
    if (first === undefined || last === undefined) return null
    const filled = last.filled - first.filled
    const drained = last.drained - first.drained
    const used = first.level - last.level + filled - drained
    return { first: first.level, last: last.level, min, max, filled, drained, used }
  }

  private begin(point: LevelPoint): void {
    this.first = point
    this.min = point.level
    this.max = point.level
  }
}
