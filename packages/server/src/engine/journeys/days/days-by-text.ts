import type {
  LevelSums,
  NumberSummary,
  ShareSummary,
  Summaries,
  Summary,
} from './attribute-spans.ts'
import type { AddedTotals, ObjectDay } from './day-totals.ts'

const NOTHING: AddedTotals = {
  movingTime: 0,
  idleTime: 0,
  stoppedTime: 0,
  silentTime: 0,
  distance: null,
}

/**
 * The rows of one day: the parts in which the same text holds as one, by text, and the one of no text last. Each knows what
 * those before it add up to, so that rounded rows add up to the rounded day.
 */
export function rowsByText(parts: readonly ObjectDay[]): ObjectDay[] {
  const byText = new Map<string | null, ObjectDay[]>()
  for (const part of parts) {
    const same = byText.get(part.text!)
    if (same === undefined) byText.set(part.text!, [part])
    else same.push(part)
  }
  let earlier = NOTHING
  return [...byText.keys()].sort(inOrder).map((text) => {
    const row = { ...byText.get(text)!.reduce(joined), ...NO_COUNTERS, earlier }
    earlier = addedTotals(earlier, row)
    return row
  })
}

/** The row of a day of which a key sees these parts. No leg crosses two of them. */
export function wholeDay(parts: readonly ObjectDay[]): ObjectDay[] {
  if (parts.length === 1) return [parts[0]!]
  return [
    parts.reduce((first, next) => ({
      ...joined(first, next),
      odometer: joinedSpan(first.odometer, next.odometer),
      engineHours: joinedSpan(first.engineHours, next.engineHours),
    })),
  ]
}

function joinedSpan(first: CounterSpan, next: CounterSpan): CounterSpan {
  return { start: first.start ?? next.start, end: next.end ?? first.end }
}

type CounterSpan = ObjectDay['odometer']

/** A text holds at several times of a day, so its row has no counters at its ends. */
const NO_COUNTERS = {
  odometer: { start: null, end: null },
  engineHours: { start: null, end: null },
}

function inOrder(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return a < b ? -1 : 1
}

function joined(first: ObjectDay, next: ObjectDay): ObjectDay {
  const { attributes } = first
  return {
    ...first,
    last: next.last,
    ...addedTotals(first, next),
    trips: first.trips + next.trips,
    positions: first.positions + next.positions,
    maxSpeed: highest(first.maxSpeed, next.maxSpeed),
    ...(attributes && { attributes: joinedSummaries(attributes, next.attributes!) }),
  }
}

function addedTotals(a: AddedTotals, b: AddedTotals): AddedTotals {
  return {
    movingTime: a.movingTime + b.movingTime,
    idleTime: a.idleTime + b.idleTime,
    stoppedTime: a.stoppedTime + b.stoppedTime,
    silentTime: a.silentTime + b.silentTime,
    distance: a.distance === null ? b.distance : a.distance + (b.distance ?? 0),
  }
}

function highest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

function joinedSummaries(all: Summaries, next: Summaries): Summaries {
  return all.map((summary, index) => {
    const other = next[index]!
    return summary === null || other === null ? (summary ?? other) : joinedSummary(summary, other)
  })
}

function joinedSummary(a: Summary, b: Summary): Summary {
  return 'times' in a ? joinedShares(a, b as ShareSummary) : joinedNumbers(a, b as NumberSummary)
}

function joinedNumbers(a: NumberSummary, b: NumberSummary): NumberSummary {
  return {
    first: a.first,
    last: b.last,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    gain: a.gain === null ? null : a.gain + b.gain!,
    ...(a.sums && b.sums && { sums: addedSums(a.sums, b.sums) }),
  }
}

function addedSums(a: LevelSums, b: LevelSums): LevelSums {
  return {
    used: a.used + b.used,
    filled: a.filled + b.filled,
    drained: a.drained + b.drained,
  }
}

function joinedShares(a: ShareSummary, b: ShareSummary): ShareSummary {
  const times = new Map(a.times)
  for (const [value, time] of b.times) times.set(value, (times.get(value) ?? 0) + time)
  return { first: a.first ?? b.first, last: b.last ?? a.last, times, time: a.time + b.time }
}
