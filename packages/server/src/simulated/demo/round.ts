import { drive, type Leg } from './leg.ts'
import { distance } from './plane.ts'
import { type Random, seeded } from './random.ts'
import type { Spot } from './spot.ts'
import type { Duty, Vehicle } from './vehicles.ts'
import { wayBetween } from './way.ts'

/** Whole seconds of engine time. Millimetres driven in all, and since the engine was last started. */
export type Counters = { engine: number; driven: number; trip: number }

/** An activity of a vehicle, and its counters (since the round began) at the start of it. */
export type Activity = {
  /** Whole seconds after the start of the round. */
  start: number
  seconds: number
  before: Counters
} & ({ kind: 'driving'; leg: Leg } | { kind: 'idling' | 'parked'; spot: Spot; heading: number })

/** A vehicle's day of work, from home to home. */
export type Round = { activities: Activity[]; seconds: number; after: Counters }

/** The round of a vehicle with this number. The same number always gives the same round. */
export function makeRound(vehicle: Vehicle, number: number): Round {
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
