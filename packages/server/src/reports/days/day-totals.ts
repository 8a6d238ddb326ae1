import type { LocalDays } from '../../domain/time/local-days.ts'
import type { TrackRow } from '../../fold/track-row.ts'
import { addPosition, addRow, type Sums, sumsFrom } from '../../records/rules/sums.ts'
import { type Movement, startsTrip } from '../../records/rules/trip-starts.ts'
import type { CounterSpan, ObjectDay } from './object-day.ts'

/** All that the totals of a day need to know of the rows before it. */
export type Lead = {
  /** The row before. Null: there is none. */
  previous: TrackRow | null
  movement: Movement
}

type OpenDay = {
  readonly day: number
  /** The first moment of the next day. */
  readonly until: number
  readonly first: number
  /** The time of the row with which the first leg of the day begins. */
  readonly from: number
  readonly sums: Sums
  odometer: CounterSpan
  engineHours: CounterSpan
  trips: number
}

/**
 * Adds up the days of one object, row by row. A leg belongs to the day in which it ends, and a trip to the day in
 * which it starts.
 */
export class DayTotals {
  private readonly object: number
  private readonly days: LocalDays
  private readonly movement: Movement
  private previous: TrackRow | null
  private open: OpenDay | null = null

  /** Takes over the lead, and changes it. */
  constructor(object: number, days: LocalDays, { previous, movement }: Lead) {
    this.object = object
    this.days = days
    this.previous = previous
    this.movement = movement
  }

  /** Adds the next row. Returns the day that it ends, or null. */
  add(row: TrackRow): ObjectDay | null {
    const { previous, open } = this
    const isStart = startsTrip(this.movement, row)
    // The trip starts at the row before, which may be the last one of its day.
    if (isStart && previous !== null && open !== null) open.trips += 1
    const ended = open !== null && row.time >= open.until ? this.end() : null
    const day = this.open ?? beginDay(this.days, previous ?? row, row)
    if (isStart && previous === null) day.trips += 1
    if (previous === null) addPosition(day.sums, row)
    else addRow(day.sums, previous, row)
    day.odometer = advanced(day.odometer, row.odometer)
    day.engineHours = advanced(day.engineHours, row.engineHours)
    this.open = day
    this.previous = row
    return ended
  }

  /** Returns the day under way as of the newest row. Null if no row was added. */
  end(): ObjectDay | null {
    const { object, open, previous } = this
    if (open === null || previous === null) return null
    this.open = null
    const { day, first, from, sums, odometer, engineHours, trips } = open
    const { movingTime, idleTime, maxSpeed, positions } = sums
    const { time: last } = previous
    const stoppedTime = last - from - movingTime - idleTime
    return {
      ...{ object, day, first, last, movingTime, idleTime, stoppedTime, trips, positions },
      maxSpeed: maxSpeed < 0 ? null : maxSpeed,
      ...{ odometer, engineHours },
    }
  }
}

function beginDay(days: LocalDays, before: TrackRow, row: TrackRow): OpenDay {
  const { time: first } = row
  const day = days.dayOf(first)
  const { time: from, odometer, engineHours } = before
  return {
    ...{ day, until: days.startOf(day + 1), first, from, sums: sumsFrom(row), trips: 0 },
    odometer: { start: odometer, end: odometer },
    engineHours: { start: engineHours, end: engineHours },
  }
}

function advanced(span: CounterSpan, value: number | null): CounterSpan {
  return value === null ? span : { start: span.start ?? value, end: value }
}
