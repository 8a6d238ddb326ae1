import type { SilenceCase } from '../../../base/domain/position/fold-state.ts'
import type { LocalDays } from '../../../base/domain/time/time-zone.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { addPace, addPosition, highestSpeed, type Sums, sumsFrom } from '../rules/progress.ts'
import { type Movement, tripStarts } from '../rules/trip-starts.ts'
import type { Summaries } from './attribute-spans.ts'

/**
 * The totals of an object on a local day. Times are ms since the epoch, durations ms, odometers mm, engine hours
 * ms, speeds km/h.
 */
export type ObjectDay = {
  readonly object: number
  /** Counted from 1970-01-01. */
  readonly day: number
  /** The text that holds at the positions of this part of the day. Absent: it is the whole day. */
  readonly text?: string | null
  /** The sums of the rows of the day before this one. Absent: the day has one row. */
  readonly earlier?: AddedTotals
  /** The times of the first and the last position of the day. */
  readonly first: number
  readonly last: number
  /**
   * They fill the time from the last position before the day, or from its first moment, to its last position. Silent
   * is the time of silent trips.
   */
  readonly movingTime: number
  readonly idleTime: number
  readonly stoppedTime: number
  readonly silentTime: number
  /** The number of trips that start on the day. */
  readonly trips: number
  /** Positions that the history shows. */
  readonly positions: number
  /** Null if neither a speed nor a pace is known. */
  readonly maxSpeed: number | null
  /** The difference of the odometer. Null without one. */
  readonly distance: number | null
  /**
   * At the last position before the day, and at the last one of the day. Without one before the day, the first
   * one that is known. Null without a counter.
   */
  readonly odometer: CounterSpan
  readonly engineHours: CounterSpan
  /** Only if they were asked for. */
  readonly attributes?: Summaries
}

/** The totals that the rows of one day add up to. */
export type AddedTotals = Pick<
  ObjectDay,
  'movingTime' | 'idleTime' | 'stoppedTime' | 'silentTime' | 'distance'
>

type CounterSpan = { readonly start: number | null; readonly end: number | null }

function differenceOf({ start, end }: CounterSpan): number | null {
  return start === null || end === null ? null : end - start
}

/** Everything that the totals of a day need to know of the rows before it. */
export type Lead = {
  /** The previous row. Null if there is none. */
  previous: TrackRow | null
  movement: Movement
}

type OpenDay = {
  readonly day: number
  readonly text: string | null | undefined
  /** Its first moment, and that of the next day. */
  readonly start: number
  readonly until: number
  readonly first: number
  /** The time at which its first leg begins. */
  readonly from: number
  last: number
  readonly sums: Sums
  /** The times of the legs to suspect rows, until a believed row shows whether they are within a silence. */
  unbelieved: LegTimes
  /** The highest speed of these rows, until one shows whether it counts. */
  unbelievedSpeed: number
  odometer: CounterSpan
  engineHours: CounterSpan
  trips: number
}

type LegTimes = { moving: number; idle: number; all: number }

const NO_TIMES: LegTimes = { moving: 0, idle: 0, all: 0 }

/**
 * Adds up the days of one object, row by row, or the parts of days in which one text holds. A leg belongs to the day, and
 * the text, in which it ends, without the time before that day, and a trip to the one in which it starts.
 */
export class DayTotals {
  private readonly object: number
  private readonly days: LocalDays
  private readonly movement: Movement
  private previous: TrackRow | null
  private open: OpenDay | null = null
  /** The days that ended since the newest believed row. A silence may still change them. */
  private ended: OpenDay[] = []
  /** The day of the newest believed row. Null: that row is one before the days. */
  private believed: OpenDay | null = null

  /** Takes over the lead, and changes it. */
  constructor(object: number, days: LocalDays, { previous, movement }: Lead) {
    this.object = object
    this.days = days
    this.previous = previous
    this.movement = movement
  }

  /** Adds the next row, and the text that holds there. Returns the days, or their parts, that are complete. */
  add(row: TrackRow, text?: string | null): ObjectDay[] {
    const { previous, open } = this
    // A trip starts at a row before, which may be the last one of its day.
    for (const start of tripStarts(this.movement, row, previous === null)) {
      const day = start === 'believed' ? this.believed : open
      if (day !== null) day.trips += 1
    }
    if (open !== null && (row.time >= open.until || text !== open.text)) {
      this.ended.push(open)
      this.open = null
    }
    const day = this.open ?? beginDay(this.days, previous, row, text)
    this.open = day
    this.previous = row
    if (!row.joins) for (const each of [...this.ended, day]) each.unbelievedSpeed = -1
    addPosition(day.sums, row.isSuspect ? { ...row, speed: null } : row)
    if (previous !== null && day.sums.maxSpeed < 0) addPace(day.sums, previous, row)
    day.last = row.time
    day.odometer = advanced(day.odometer, row.odometer)
    day.engineHours = advanced(day.engineHours, row.engineHours)
    const leg = previous === null ? NO_TIMES : legTimes(day, previous, row)
    if (row.isSuspect) {
      addTimes(day.unbelieved, leg)
      day.unbelievedSpeed = Math.max(day.unbelievedSpeed, row.speed ?? -1)
      return []
    }
    this.settle(day, row, leg)
    this.believed = day
    return this.ended.splice(0).map((each) => this.totalsOf(each))
  }

  /** Decides the legs since the newest believed row. `leg`: the last one. */
  private settle(day: OpenDay, { silence }: TrackRow, leg: LegTimes): void {
    const before = silence?.before ?? null
    const isTripToConfirmed = silence?.beforeConfirmed === true
    const earlier = isTripToConfirmed ? 'trip' : silence?.confirms === true ? null : before
    for (const each of [...this.ended, day]) {
      count(each.sums, each.unbelieved, earlier)
      each.unbelieved = { ...NO_TIMES }
      each.sums.maxSpeed = Math.max(each.sums.maxSpeed, each.unbelievedSpeed)
    }
    count(day.sums, leg, before)
  }

  /** Returns the days under way as of the newest row. */
  end(): ObjectDay[] {
    const { open, ended, believed, movement } = this
    if (open === null) return []
    if (movement.isSettingOut && believed !== null) believed.trips += 1
    const days = [...ended]
    days.push(open)
    for (const { sums, unbelieved } of days) count(sums, unbelieved, null)
    this.open = null
    this.ended = []
    return days.map((day) => this.totalsOf(day))
  }

  private totalsOf(open: OpenDay): ObjectDay {
    const { object } = this
    const { day, text, first, last, from, sums, odometer, engineHours, trips } = open
    const { movingTime, idleTime, silentTime, positions } = sums
    const stoppedTime = last - from - movingTime - idleTime - silentTime
    return {
      object,
      day,
      ...(text !== undefined && { text }),
      first,
      last,
      movingTime,
      idleTime,
      stoppedTime,
      silentTime,
      trips,
      positions,
      distance: differenceOf(odometer),
      odometer,
      engineHours,
      maxSpeed: highestSpeed(sums),
    }
  }
}

function beginDay(
  days: LocalDays,
  before: TrackRow | null,
  row: TrackRow,
  text: string | null | undefined,
): OpenDay {
  const { time: first } = row
  const day = days.dayOf(first)
  const start = days.startOf(day)
  const { time, odometer, engineHours } = before ?? row
  return {
    day,
    text,
    start,
    until: days.startOf(day + 1),
    first,
    from: Math.max(time, start),
    last: first,
    sums: sumsFrom(row),
    unbelieved: { ...NO_TIMES },
    unbelievedSpeed: -1,
    trips: 0,
    odometer: { start: odometer, end: odometer },
    engineHours: { start: engineHours, end: engineHours },
  }
}

/** The time of a leg within its day. It belongs to the motion at its beginning. */
function legTimes({ start }: OpenDay, from: TrackRow, to: TrackRow): LegTimes {
  const all = to.time - Math.max(from.time, start)
  const { motion } = from
  return { moving: motion === 'moving' ? all : 0, idle: motion === 'idle' ? all : 0, all }
}

function addTimes(times: LegTimes, { moving, idle, all }: LegTimes): void {
  times.moving += moving
  times.idle += idle
  times.all += all
}

/** Counts the times of legs in a silence, or in none. The rest of a day is stopped time. */
function count(sums: Sums, { moving, idle, all }: LegTimes, silence: SilenceCase | null): void {
  if (silence === 'trip') sums.silentTime += all
  if (silence !== null) return
  sums.movingTime += moving
  sums.idleTime += idle
}

function advanced(span: CounterSpan, value: number | null): CounterSpan {
  return value === null ? span : { start: span.start ?? value, end: value }
}
