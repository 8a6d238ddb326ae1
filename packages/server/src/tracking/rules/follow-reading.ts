import { MICRO } from '../../domain/position/fix-record.ts'
import type { CounterReading } from '../../domain/position/fold-state.ts'
import { HOUR_MS } from '../../domain/time/time.ts'

/** How fast a device's own counter can grow: its units in each millisecond, and a step in addition. */
export type Pace = { each: number; step: number }

/** mm: 250 km/h and 1 km. */
export const ODOMETER_PACE: Pace = { each: (250 * MICRO) / HOUR_MS, step: MICRO }
/** ms: the time on the clock and six minutes. */
export const ENGINE_HOURS_PACE: Pace = { each: 1, step: 360_000 }

/** A device that lost its counter finds it again within this time, or never. */
const RESTORED_WITHIN_MS = 7 * 24 * HOUR_MS

/** `gain`: what the counter counted. `isOwn`: whether its value is known for the first time. */
export type Followed = { reading: CounterReading; gain: number; isOwn: boolean }

/**
 * Follows a device's own counter to its next value, which was read `at` that time.
 *
 * A counter grows as fast as a vehicle drives, measured from when it last grew, because counters have steps. Any
 * other change is doubted: it may be an error value, or a device that counts from 0 while it starts. If the next
 * value follows from the doubted one, another counter counts: what it counts from there on is added. A value that
 * follows from the counter before a drop restores that counter, and adds what was not counted since, even if it follows
 * from the other one too.
 */
export function followReading(
  known: CounterReading | null,
  value: number,
  at: number,
  pace: Pace,
): Followed {
  if (known === null) return ownValue(value, at)
  const before =
    known.before !== null && at - known.before.droppedAt > RESTORED_WITHIN_MS ? null : known.before

  // Readings that alternate between two values would gain from the lower one to the higher one each time.
  if (before !== null && isWithinReach(before.value, value, at - before.grewAt, pace)) {
    const gain = Math.max(0, value - before.value - before.counted)
    return followed(value, value > before.value ? at : before.grewAt, null, gain)
  }
  if (isWithinReach(known.value, value, at - known.grewAt, pace)) {
    const gain = value - known.value
    const counted = before === null ? null : { ...before, counted: before.counted + gain }
    return followed(value, gain > 0 ? at : known.grewAt, counted, gain)
  }
  // A device that does not know its counter sends 0.
  if (known.value === 0 && before === null) return ownValue(value, at)
  const { doubted } = known
  if (doubted !== null && isWithinReach(doubted.value, value, at - doubted.at, pace)) {
    const isDrop = doubted.value < known.value
    const lost = { value: known.value, grewAt: known.grewAt, droppedAt: doubted.at, counted: 0 }
    return followed(value, value > doubted.value ? at : doubted.at, isDrop ? lost : null, 0)
  }
  return { reading: { ...known, doubted: { value, at }, before }, gain: 0, isOwn: false }
}

/** The first value that a device knows. */
function ownValue(value: number, grewAt: number): Followed {
  return { reading: { value, grewAt, doubted: null, before: null }, gain: 0, isOwn: true }
}

function followed(
  value: number,
  grewAt: number,
  before: CounterReading['before'],
  gain: number,
): Followed {
  return { reading: { value, grewAt, doubted: null, before }, gain, isOwn: false }
}

/** Whether a counter can have grown from one value to the other in this time. */
function isWithinReach(from: number, to: number, ms: number, { each, step }: Pace): boolean {
  return to >= from && to - from <= ms * each + step
}
