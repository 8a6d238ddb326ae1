import { HOUR_MS } from '../../domain/time/time.ts'
import { localDays } from '../../domain/time/time-zone.ts'
import { seeded } from './random.ts'
import { type Activity, type Counters, makeRound, type Round } from './round.ts'
import type { Vehicle } from './vehicles.ts'

export const MADRID = localDays('Europe/Madrid')

/** Monday 1 January 2024, the day the fleet entered service, in days since the epoch. */
const FIRST_DAY = 19_723

/**
 * A vehicle has as many rounds as two weeks have workdays, and drives them in turn. So no two days of a
 * week are alike, and the distance driven until any day is a product and a short sum: counters are exact
 * without driving through all earlier days.
 */
const WEEKS_OF_ROUNDS = 2

/**
 * A vehicle's duty day: from one turnover to the next. The vehicle is parked at home except on its round.
 */
export type DutyDay = {
  /** Milliseconds since the epoch. `end` is the next day's start. */
  start: number
  end: number
  /** The round begins at `start`, and its seconds count from there. */
  activities: Activity[]
  /** The counters at the start, since the vehicle entered service. The trip is the last one. */
  before: Counters
}

/** The duty days in a closed range of time, from the fleet's first day on. */
export function* dutyDays(vehicle: Vehicle, from: number, to: number): Generator<DutyDay> {
  for (let day = Math.max(FIRST_DAY, MADRID.dayOf(from) - 1); startOf(vehicle, day) <= to; day++) {
    if (startOf(vehicle, day + 1) > from) yield dutyDay(vehicle, day)
  }
}

function dutyDay(vehicle: Vehicle, day: number): DutyDay {
  const start = startOf(vehicle, day)
  const end = startOf(vehicle, day + 1)
  const seconds = (end - start) / 1000
  const number = roundsBefore(vehicle, day)
  const before = countersBefore(vehicle, number)
  if (!vehicle.duty.workdays.includes(weekday(day))) {
    const activities = [parkedAtHome(vehicle, 0, seconds, { ...before, engine: 0, driven: 0 })]
    return { start, end, activities, before }
  }
  const round = roundOf(vehicle, number % cycleLength(vehicle))
  const minutes = seeded('setting out', vehicle.ident, day).between(-9, 9)
  const setsOut = Math.round(vehicle.duty.setsOut * 3_600 + minutes * 60)
  const activities = [
    parkedAtHome(vehicle, 0, setsOut, { engine: 0, driven: 0, trip: before.trip }),
    ...round.activities.map((activity) => ({ ...activity, start: setsOut + activity.start })),
    parkedAtHome(vehicle, setsOut + round.seconds, seconds, round.after),
  ]
  return { start, end, activities, before }
}

/** 0 for Monday to 6 for Sunday. 1 January 1970 was a Thursday. */
function weekday(day: number): number {
  return (day + 3) % 7
}

function startOf(vehicle: Vehicle, day: number): number {
  return MADRID.startOf(day) + vehicle.duty.turnover * HOUR_MS
}

function parkedAtHome(vehicle: Vehicle, start: number, end: number, before: Counters): Activity {
  const spot = vehicle.home
  return {
    start,
    seconds: end - start,
    before,
    kind: 'parked',
    spot,
    heading: spot.stretch.heading,
  }
}

/** The number of rounds that a vehicle began before a day. */
function roundsBefore({ duty }: Vehicle, day: number): number {
  const weeks = Math.floor((day - FIRST_DAY) / 7)
  const thisWeek = duty.workdays.filter((workday) => workday < weekday(day)).length
  return weeks * duty.workdays.length + thisWeek
}

function cycleLength({ duty }: Vehicle): number {
  return WEEKS_OF_ROUNDS * duty.workdays.length
}

function countersBefore(vehicle: Vehicle, rounds: number): Counters {
  const sums = sumsOf(vehicle)
  const cycle = sums.at(-1)!
  const cycles = Math.floor(rounds / (sums.length - 1))
  const rest = sums[rounds % (sums.length - 1)]!
  return {
    engine: cycles * cycle.engine + rest.engine,
    driven: cycles * cycle.driven + rest.driven,
    trip: rounds === 0 ? 0 : (rest === sums[0] ? cycle : rest).trip,
  }
}

const sums = new Map<string, Counters[]>()

/** The counters before each round of a cycle, and at its end. */
function sumsOf(vehicle: Vehicle): Counters[] {
  const known = sums.get(vehicle.ident)
  if (known !== undefined) return known
  const made: Counters[] = [{ engine: 0, driven: 0, trip: 0 }]
  for (let number = 0; number < cycleLength(vehicle); number++) {
    const before = made.at(-1)!
    const { after } = makeRound(vehicle, number)
    made.push({
      engine: before.engine + after.engine,
      driven: before.driven + after.driven,
      trip: after.trip,
    })
  }
  sums.set(vehicle.ident, made)
  return made
}

const current = new Map<string, { number: number; round: Round }>()

/** The round of a vehicle. The last one asked for is cached. */
function roundOf(vehicle: Vehicle, number: number): Round {
  const known = current.get(vehicle.ident)
  if (known?.number === number) return known.round
  const round = makeRound(vehicle, number)
  current.set(vehicle.ident, { number, round })
  return round
}
