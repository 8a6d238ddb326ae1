import type { AttributeEntry } from '../../../base/domain/attributes/attribute-catalogue.ts'
import type { CounterReading } from '../../../base/domain/position/fold-state.ts'
import { HOUR_MS } from '../../../base/domain/time/time.ts'
import { followReading, isWithinReach, type Pace } from '../../tracking/rules/counters.ts'

/** A value holds for this many rows after its own, so that a reader finds it with a bounded search. */
export const VALUE_ROWS = 1_000

/** A counter may rise at once by its hourly maximum divided by this: 1 km for the odometer's 250 km/h. */
const STEPS_OF_AN_HOUR = 250

function paceOf({ maximumRate, decimals }: CounterEntry): Pace {
  const rules = { restoredWithinMs: 0, countsConfirmed: true }
  if (maximumRate === null) return { ...rules, perMs: 0, step: Number.POSITIVE_INFINITY }
  const units = maximumRate * 10 ** decimals
  return { ...rules, perMs: units / HOUR_MS, step: units / STEPS_OF_AN_HOUR }
}

type CounterEntry = Pick<AttributeEntry, 'maximumRate' | 'decimals'>

/** A row before the first one, newest first. `value` is undefined if it has none. */
type LeadRow = { readonly time: number; readonly value: number | undefined }

/**
 * The gains of a counter, row by row, in whole units. A value that cannot follow from the previous one is doubted, as for a
 * device's odometer: only the next value confirms it. A drop is never restored, and no doubt looks back more than
 * `VALUE_ROWS` rows.
 *
 * The gain of a row is the same wherever a reader begins, because it first reads back to values after which nothing earlier
 * makes a difference: a value that rose from one that itself follows the value before it.
 */
export class CounterGain {
  private readonly pace: Pace
  private reading: CounterReading | null = null
  /** The rows since the value of the reading. */
  private age = 0
  private leads: LeadRow[] = []
  /** The oldest value of the lead, and the end of the values that follow it one by one. */
  private oldest: { time: number; value: number } | null = null
  private chainEnd = 0
  private hasRisen = false
  private settled = false

  constructor(entry: CounterEntry) {
    this.pace = paceOf(entry)
  }

  /** Takes a row before the first one, newest first. Returns whether it needs no older ones. */
  lead(time: number, value: number | undefined): boolean {
    if (this.settled) return true
    this.leads.push({ time, value })
    if (value === undefined) return false
    const newer = this.oldest
    this.oldest = { time, value }
    if (newer === null) {
      this.chainEnd = time
      return false
    }
    if (!isWithinReach(value, newer.value, newer.time - time, this.pace)) {
      this.chainEnd = time
      this.hasRisen = false
      return false
    }
    this.settled = this.hasRisen || this.chainEnd - newer.time >= HOUR_MS
    this.hasRisen ||= newer.value > value
    return this.settled
  }

  /** Takes the next row. Returns what the counter gained. */
  next(time: number, value: number | undefined): number {
    this.follow()
    return this.step(time, value)
  }

  /** Takes the rows of the lead in their order. */
  private follow(): void {
    const { leads } = this
    this.leads = []
    for (let i = leads.length - 1; i >= 0; i--) this.step(leads[i]!.time, leads[i]!.value)
  }

  private step(time: number, value: number | undefined): number {
    this.age += 1
    if (value === undefined) return 0
    const known = this.age > VALUE_ROWS ? null : this.reading
    const { reading, gain } = followReading(known, value, time, this.pace)
    this.reading = reading
    if (reading.doubted !== null) return 0
    this.age = 0
    // Growth is measured from at most an hour before, so that a reader need not search for the last one.
    this.reading = { ...reading, grewAt: Math.max(reading.grewAt, time - HOUR_MS) }
    return gain
  }
}
