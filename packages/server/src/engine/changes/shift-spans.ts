import { firstFrom, partsIn } from '../../base/domain/time/ranges.ts'
import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { ShiftEntry } from '../store/change-entries.ts'

/** Amounts in mm, mm and ms for the counters of all positions in a range, both ends included. */
type ShiftSpan = {
  from: number
  /** Null: open. */
  to: number | null
  odometer: number
  mileage: number
  engineHours: number
}

type Amounts = Pick<ShiftSpan, 'odometer' | 'mileage' | 'engineHours'>

/**
 * The shifts of one object in one change as spans by time that do not overlap, so that a reader applies at most one
 * of a change to a row. `tripsOf`: the ranges in which a shift moves the mileage, by time. A span that reaches the end of
 * the visible intervals is open.
 */
export function shiftSpans(
  shifts: readonly ShiftEntry[],
  tripsOf: (shift: ShiftEntry) => readonly TimeRange[],
): ShiftSpan[] {
  const steps = new Map<number, Amounts>()
  for (const shift of shifts) {
    addStep(steps, shift.from, { ...shift, mileage: 0 })
    for (const { from, to } of tripsOf(shift)) {
      if (to < shift.from) continue
      addStep(steps, Math.max(from, shift.from), mileageOf(shift.mileage))
      if (to < LAST_TIME) addStep(steps, to + 1, mileageOf(-shift.mileage))
    }
  }
  const times = [...steps.keys()].filter((time) => !isNothing(steps.get(time)!))
  times.sort((a, b) => a - b)
  const spans: ShiftSpan[] = []
  let amounts = NOTHING
  for (const [index, from] of times.entries()) {
    amounts = sumOf(amounts, steps.get(from)!)
    const next = times[index + 1]
    const to = next === undefined ? null : next - 1
    if (!isNothing(amounts)) spans.push({ from, to, ...amounts })
  }
  const { visible } = shifts[0] ?? {}
  return visible === undefined ? spans : clipped(spans, visible)
}

/**
 * The spans in these intervals. Those of the same amounts join if no visible moment is between them, so that they do
 * not depend on invisible ones.
 */
function clipped(spans: readonly ShiftSpan[], visible: readonly TimeRange[]): ShiftSpan[] {
  const found: ShiftSpan[] = []
  for (const span of spans) {
    for (const { from, to } of partsIn(visible, {
      from: span.from,
      to: span.to ?? LAST_TIME,
    })) {
      const last = found.at(-1)
      const isNext = last !== undefined && firstFrom(visible, last.to! + 1)?.from
      const follows = last !== undefined && (last.to! + 1 === from || isNext === from)
      if (follows && isSame(last, span)) last.to = to
      else found.push({ ...span, from, to })
    }
  }
  const end = visible.at(-1)!.to
  return found.map((each) => (each.to! >= end ? { ...each, to: null } : each))
}

function isSame(a: Amounts, b: Amounts): boolean {
  return a.odometer === b.odometer && a.mileage === b.mileage && a.engineHours === b.engineHours
}

const NOTHING: Amounts = { odometer: 0, mileage: 0, engineHours: 0 }

function mileageOf(mileage: number): Amounts {
  return { ...NOTHING, mileage }
}

function addStep(steps: Map<number, Amounts>, time: number, amounts: Amounts): void {
  steps.set(time, sumOf(steps.get(time) ?? NOTHING, amounts))
}

function sumOf(one: Amounts, other: Amounts): Amounts {
  return {
    odometer: one.odometer + other.odometer,
    mileage: one.mileage + other.mileage,
    engineHours: one.engineHours + other.engineHours,
  }
}

function isNothing({ odometer, mileage, engineHours }: Amounts): boolean {
  return odometer === 0 && mileage === 0 && engineHours === 0
}
