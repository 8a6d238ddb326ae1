import { LevelFold } from './level-fold.ts'
import type { LevelEvent, LevelPoint, Unsettled } from './level-state.ts'
import { LevelSpan, type LevelSummary } from './level-sums.ts'
import type { LevelRow, LevelSettings } from './samples.ts'
import {
  DAY,
  MINUTE,
  type Sensor,
  type Simulation,
  simulate,
  type TrueEvent,
  type Vehicle,
} from './simulated-tank.fixture.ts'

const QUIET: Omit<Sensor, 'name'> = {
  slosh: 0.003,
  noise: 0.002,
  tilt: 0,
  drift: 0,
  quantum: 0,
  damping: 0,
  spikes: 0,
  floor: 0,
  ceiling: 1,
  off: 'level',
  every: 30_000,
  everyOff: 600_000,
}

/** A sensor of each kind of noise. */
export const SENSORS: readonly Sensor[] = [
  { ...QUIET, name: 'quiet' },
  { ...QUIET, name: 'slosh', slosh: 0.02, tilt: 0.01 },
  { ...QUIET, name: 'slosh, each 10 s', slosh: 0.02, tilt: 0.01, every: 10_000 },
  { ...QUIET, name: 'slosh, each 2 min', slosh: 0.02, tilt: 0.01, every: 120_000 },
  { ...QUIET, name: 'heavy slosh', slosh: 0.04, tilt: 0.015 },
  { ...QUIET, name: 'steps of 1 %', slosh: 0.01, tilt: 0.005, quantum: 0.01 },
  { ...QUIET, name: 'damped, 0.4 %', slosh: 0.002, quantum: 0.004, damping: 120_000 },
  { ...QUIET, name: 'noisy input', slosh: 0.015, noise: 0.01 },
  { ...QUIET, name: 'spikes', slosh: 0.01, spikes: 0.02 },
  { ...QUIET, name: 'drift of 3 %', slosh: 0.01, drift: 0.015, everyOff: 1_800_000 },
  { ...QUIET, name: 'nothing when off', slosh: 0.02, tilt: 0.01, off: 'nothing' },
  { ...QUIET, name: '0 when off', slosh: 0.02, tilt: 0.01, off: 'zero' },
  { ...QUIET, name: 'old when off', slosh: 0.02, tilt: 0.01, off: 'old' },
  { ...QUIET, name: 'dead float', slosh: 0.01, tilt: 0.005, floor: 0.06, ceiling: 0.92 },
]

/** The levels and events of rows in the order of their times. */
export function foldOf(rows: readonly LevelRow[], settings: LevelSettings): Unsettled {
  const fold = new LevelFold(settings)
  return joined([...rows.map((row) => fold.add(row)), fold.tail()])
}

/** Consecutive parts, without checkpoints. */
export function joined(parts: readonly Unsettled[]): Unsettled {
  const events = parts.flatMap((part) => part.events)
  return {
    points: parts.flatMap(({ points }) => points),
    events: events.map(({ kind, start, end, before, after, reach }) => {
      return { kind, start, end, before, after, reach }
    }),
  }
}

/** The sums of spans that end at these moments. */
export function sumsOf(
  points: readonly LevelPoint[],
  ends: readonly number[],
): (LevelSummary | null)[] {
  const span = new LevelSpan()
  let at = 0
  return ends.map((end) => {
    span.open()
    for (; at < points.length && points[at]!.time <= end; at += 1) span.add(points[at]!)
    return span.close()
  })
}

/** How many true events the rules found, and how well. Errors are shares of the tank. */
export type Score = {
  events: number
  found: number
  falselyFound: number
  amountErrors: number[]
  dayErrors: number[]
  used: number
  usedFound: number
  leastUsed: number
}

export function scoreOf(
  vehicle: Vehicle,
  sensor: Sensor,
  settings: LevelSettings,
  seeds: readonly number[],
  days: number,
) {
  const scores = { filled: emptyScore(), drained: emptyScore() }
  for (const seed of seeds) {
    const truth = simulate(vehicle, sensor, seed, days)
    const found = foldOf(truth.rows, settings)
    for (const kind of ['filled', 'drained'] as const) {
      match(scores[kind], truth, found.events, kind, vehicle, settings)
    }
    const ends = truth.usedByDay.map((_, day) => (day + 1) * DAY - 1)
    const sums = sumsOf(found.points, ends)
    sums.forEach((sum, day) => {
      const used = truth.usedByDay[day]! - (truth.usedByDay[day - 1] ?? 0)
      const score = scores.filled
      score.used += used
      score.usedFound += sum!.used / 10
      score.dayErrors.push((sum!.used / 10 - used) / vehicle.capacity)
      score.leastUsed = Math.min(score.leastUsed, sum!.used / settings.threshold)
    })
  }
  return scores
}

function emptyScore(): Score {
  return {
    events: 0,
    found: 0,
    falselyFound: 0,
    amountErrors: [],
    dayErrors: [],
    used: 0,
    usedFound: 0,
    leastUsed: 0,
  }
}

/** A true event of less than one and a half times the threshold may be found or not. */
function match(
  score: Score,
  truth: Simulation,
  events: readonly LevelEvent[],
  kind: TrueEvent['kind'],
  vehicle: Vehicle,
  settings: LevelSettings,
): void {
  const left = new Set(events.filter((event) => event.kind === kind))
  for (const event of truth.events) {
    if (event.kind !== kind) continue
    // A sensor without power shows a change when the engine starts.
    const shows = truth.rows.find(({ time, motion }) => time >= event.end && motion !== 'stopped')
    const until = (shows?.time ?? event.end) + 15 * MINUTE
    const matching = [...left].filter(
      ({ start, end }) => start <= until && end >= event.start - 15 * MINUTE,
    )
    for (const found of matching) left.delete(found)
    if (event.amount * 10 < 1.5 * settings.threshold) continue
    score.events += 1
    if (matching.length === 0) continue
    score.found += 1
    const amount =
      matching.reduce((sum, { before, after }) => sum + Math.abs(after - before), 0) / 10
    score.amountErrors.push((amount - event.amount) / vehicle.capacity)
  }
  score.falselyFound += left.size
}
