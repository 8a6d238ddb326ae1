import { type Random, seeded } from '../../packages/server/testing/random.ts'
import { drive, type Leg } from './leg.ts'
import { distance } from './plane.ts'
import { type Spot, wayBetween } from './street-network.ts'
import type { Duty, Vehicle } from './vehicles.ts'

export const DAY = 86_400

export const WEEK = 7 * DAY

/** After its week a vehicle is parked for an hour more: the clocks change, and the last day has 25 hours. */
const LAST_HOUR = 3_600

/** A drive, or a stand with or without the engine. The counters are those at the start. */
export type Activity = {
  /** Whole seconds since the week began. */
  start: number
  seconds: number
  /** Millimeters since the week began. */
  driven: number
  /** Seconds with a running engine since the day began. */
  engine: number
} & ({ kind: 'driving'; leg: Leg } | { kind: 'idling' | 'parked'; spot: Spot })

/**
 * A vehicle's week, from Monday at its turnover to an hour after the turnover of the next Monday. It is parked at
 * home except on the rounds of its workdays, and it ends where it began.
 */
export function weekOf(vehicle: Vehicle): Activity[] {
  const { ident, home, duty } = vehicle
  const log = openLog(home)
  for (let day = 0; day < 7; day++) {
    log.beginDay()
    if (duty.workdays.includes(day)) {
      const minutes = seeded('setting out', ident, day).between(-9, 9)
      log.parkUntil(day * DAY + Math.round(duty.setsOut * 3_600 + minutes * 60))
      work(log, duty, seeded('round', ident, day))
    }
    log.parkUntil((day + 1) * DAY)
  }
  log.beginDay()
  log.parkUntil(WEEK + LAST_HOUR)
  return log.activities
}

/** A round: a day of work, from home to home. */
function work(log: Log, duty: Duty, random: Random): void {
  const home = log.spot()
  const start = log.seconds()
  // Loading: the engine runs a little before the drive to the first stop.
  log.stand('idling', random.whole(2, 6) * 60)
  const [before, after] = duty.work
  serve(log, duty, random, start + before * 3_600)
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
  let driven = 0
  let engine = 0
  const stand = (kind: 'idling' | 'parked', duration: number) => {
    activities.push({ start: seconds, seconds: duration, driven, engine, kind, spot })
    seconds += duration
    if (kind === 'idling') engine += duration
  }
  return {
    activities,
    spot: () => spot,
    seconds: () => seconds,
    stand,
    beginDay() {
      engine = 0
    },
    parkUntil(second: number) {
      stand('parked', second - seconds)
    },
    drive(to: Spot, random: Random) {
      const leg = drive(wayBetween(spot, to), random)
      activities.push({
        start: seconds,
        seconds: leg.seconds,
        driven,
        engine,
        kind: 'driving',
        leg,
      })
      seconds += leg.seconds
      engine += leg.seconds
      driven += leg.length
      spot = to
    },
  }
}
