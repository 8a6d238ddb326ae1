import { HOUR_MS } from '../../../base/domain/time/time.ts'
import { localDays } from '../../../base/domain/time/time-zone.ts'
import { drive, type Leg } from './leg.ts'
import { distance } from './plane.ts'
import { type Random, seeded } from './random.ts'
import { type Spot, wayBetween } from './street-network.ts'
import type { Duty, Vehicle } from './vehicles.ts'

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

const knownSums = new Map<string, Counters[]>()

/** The counters before each round of a cycle, and at its end. */
function sumsOf(vehicle: Vehicle): Counters[] {
  const known = knownSums.get(vehicle.ident)
  if (known !== undefined) return known
  const sums: Counters[] = [{ engine: 0, driven: 0, trip: 0 }]
  for (let number = 0; number < cycleLength(vehicle); number++) {
    const before = sums.at(-1)!
    const { after } = makeRound(vehicle, number)
    sums.push({
      engine: before.engine + after.engine,
      driven: before.driven + after.driven,
      trip: after.trip,
    })
  }
  knownSums.set(vehicle.ident, sums)
  return sums
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

/** Whole seconds of engine time. Millimetres driven in all, and since the engine was last started. */
type Counters = { engine: number; driven: number; trip: number }

/** An activity of a vehicle, and its counters (since the round began) at the start of it. */
export type Activity = {
  /** Whole seconds after the start of the round. */
  start: number
  seconds: number
  before: Counters
} & ({ kind: 'driving'; leg: Leg } | { kind: 'idling' | 'parked'; spot: Spot; heading: number })

/** A vehicle's day of work, from home to home. */
type Round = { activities: Activity[]; seconds: number; after: Counters }

/** The round of a vehicle with this number. The same number always gives the same round. */
function makeRound(vehicle: Vehicle, number: number): Round {
  const random = seeded('round', vehicle.ident, number)
  const log = openLog(vehicle.home)
  work(log, vehicle.duty, random)
  return log.close()
}

function work(log: Log, duty: Duty, random: Random): void {
  const home = log.spot()
  // Loading: the engine runs a little before the drive to the first stop.
  log.stand('idling', random.whole(2, 6) * 60)
  const [before, after] = duty.work
  serve(log, duty, random, before * 3_600)
  if (after > 0) {
    log.stand('parked', random.whole(35, 60) * 60)
    serve(log, duty, random, log.seconds() + after * 3_600)
  }
  if (log.spot() !== home) log.drive(home, random)
}

/** Visits customers one after the other until the time is up. */
function serve(log: Log, duty: Duty, random: Random, until: number): void {
  let open = [...duty.stops]
  while (log.seconds() < until) {
    const here = log.spot()
    const near = open
      .filter((spot) => spot !== here)
      .sort((a, b) => distance(a.point, here.point) - distance(b.point, here.point))
    const next = random.pick(near.slice(0, 4))
    open = open.length > 2 ? open.filter((spot) => spot !== next) : [...duty.stops]
    log.drive(next, random)
    const [least, most] = duty.stop
    const seconds = Math.ceil(random.between(least, most) * 60)
    // A driver who leaves the engine running stays only briefly.
    if (random.chance(duty.idling / 100)) log.stand('idling', Math.ceil(seconds / 3))
    else log.stand('parked', seconds)
  }
}

type Log = ReturnType<typeof openLog>

/** Records activities one after the other, and counts. */
function openLog(home: Spot) {
  const activities: Activity[] = []
  let spot = home
  let seconds = 0
  let counters: Counters = { engine: 0, driven: 0, trip: 0 }
  const parked = () => activities.at(-1)?.kind !== 'driving' && activities.at(-1)?.kind !== 'idling'
  const startEngine = () => {
    if (parked()) counters = { ...counters, trip: 0 }
  }
  return {
    spot: () => spot,
    seconds: () => seconds,
    drive(to: Spot, random: Random) {
      startEngine()
      const leg = drive(wayBetween(spot, to), random)
      activities.push({
        start: seconds,
        seconds: leg.seconds,
        before: counters,
        kind: 'driving',
        leg,
      })
      seconds += leg.seconds
      counters = {
        engine: counters.engine + leg.seconds,
        driven: counters.driven + leg.length,
        trip: counters.trip + leg.length,
      }
      spot = to
    },
    stand(kind: 'idling' | 'parked', duration: number) {
      if (kind === 'idling') startEngine()
      const heading = spot.stretch.heading
      activities.push({ start: seconds, seconds: duration, before: counters, kind, spot, heading })
      seconds += duration
      if (kind === 'idling') counters = { ...counters, engine: counters.engine + duration }
    },
    close: (): Round => ({ activities, seconds, after: counters }),
  }
}
