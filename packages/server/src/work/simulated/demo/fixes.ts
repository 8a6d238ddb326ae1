import { maxOf } from '../../../base/domain/common/any-number.ts'
import type { Attribute } from '../../../base/domain/position/attribute.ts'
import { bareFix, type Fix } from '../../../base/domain/position/fix.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/domain/time/time.ts'
import { attributesOf } from '../attributes.ts'
import { elevation, type Point, toLonLat } from './plane.ts'
import { drift, hash, noise } from './random.ts'
import { type Activity, type DutyDay, dutyDays } from './roster.ts'
import { VEHICLES, type Vehicle } from './vehicles.ts'

const DRIVERS = ['A. Ferrer', 'B. Molina', 'C. Roca', 'D. Soler', 'E. Vidal', 'F. Serra', 'G. Pons']
/** The one with a refrigerated body. */
const REFRIGERATED = 'Truck 1 Ebre'
/** Every vehicle sets out with a full tank. Percent, and percent of an hour with a running engine. */
const FULL = 97
const BURNT_IN_AN_HOUR = 7

type Moment = {
  time: number
  /** The start of the duty day. */
  day: number
  /** Seconds with a running engine since then. */
  engine: number
  isRunning: boolean
  /** Whether the vehicle waits, with its doors open now and then. */
  isWaiting: boolean
}

/** The readings of the sensors of a vehicle at a moment, and its driver on a duty day. */
function onBoardOf(vehicle: Vehicle): (moment: Moment) => Attribute[] {
  const seed = (purpose: string) => hash(`${vehicle.ident} ${purpose}`)
  const [batterySeed, driverSeed, coldSeed] = [seed('battery'), seed('driver'), seed('cold')]
  return ({ time, day, engine, isRunning, isWaiting }) => {
    const volts = isRunning ? 13.9 : 12.6
    const driver = Math.floor(noise(driverSeed, day / HOUR_MS) * DRIVERS.length)
    const values = {
      battery: rounded(volts + 0.15 * drift(batterySeed, time, 600_000), 2),
      driverUniqueId: DRIVERS[driver]!,
      fuelLevel: rounded(Math.max(8, FULL - (BURNT_IN_AN_HOUR * engine) / 3_600), 1),
    }
    if (vehicle.name !== REFRIGERATED) return attributesOf(values)
    const cold = (isWaiting ? -16.5 : -18.5) + drift(coldSeed, time, 900_000)
    return attributesOf({ ...values, temp1: rounded(cold, 1) })
  }
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}

/** Seconds between fixes while the vehicle idles. */
const IDLING_EVERY = 30

/**
 * The fixes of a demo vehicle with `from` < `timeDevice` <= `to`, in order. The fix of a moment is the
 * same in every range. An unknown ident has none.
 */
export function* demoFixes(ident: string, from: number, to: number): Generator<Fix> {
  const vehicle = VEHICLES.find((candidate) => candidate.ident === ident)
  if (vehicle === undefined || !vehicle.reports) return
  const receiver = receiverOf(vehicle)
  for (const day of dutyDays(vehicle, from, to)) {
    for (const activity of day.activities) {
      const start = day.start + activity.start * 1000
      if (start > to) break
      if (start + activity.seconds * 1000 <= from) continue
      for (const second of reportingTimes(vehicle, activity)) {
        const time = start + second * 1000
        if (time > from && time <= to) yield receiver(time, second, activity, day)
      }
    }
  }
}

/**
 * Seconds after the start of an activity at which the tracker sends a fix. It also sends one at each
 * corner.
 */
function reportingTimes(vehicle: Vehicle, activity: Activity): number[] {
  const every =
    activity.kind === 'driving'
      ? vehicle.every.driving
      : activity.kind === 'idling'
        ? IDLING_EVERY
        : vehicle.every.parked
  const count = Math.ceil(activity.seconds / every)
  const regular = Array.from({ length: count }, (_, i) => i * every)
  if (activity.kind !== 'driving') return regular
  const corners = activity.leg.corners.filter((corner) => corner < activity.seconds)
  return [...new Set([...regular, ...corners])].sort((a, b) => a - b)
}

/** The position as the vehicle's receiver measures it: some metres off, depending on the sky. */
function receiverOf(vehicle: Vehicle) {
  const seed = (purpose: string) => hash(`${vehicle.ident} ${purpose}`)
  const alongSeed = seed('along')
  const upSeed = seed('up')
  const skySeed = seed('sky')
  const delaySeed = seed('delay')
  const onBoard = onBoardOf(vehicle)
  const blur = (point: Point, time: number, moving: boolean): Point => {
    // A parked receiver averages, so it wanders less and much more slowly.
    const [reach, period] = moving ? [4, 60_000] : [2.5, 1_800_000]
    const second = time / 1000
    return {
      along: point.along + reach * drift(alongSeed, time, period) + noise(alongSeed, second) - 0.5,
      up: point.up + reach * drift(upSeed, time, period) + noise(upSeed, second) - 0.5,
    }
  }
  return (time: number, second: number, activity: Activity, day: DutyDay): Fix => {
    const seen = sighting(activity, second)
    const [longitude, latitude] = toLonLat(blur(seen.point, time, activity.kind === 'driving'))
    const sky = Math.abs(drift(skySeed, time, 90_000))
    const { before } = activity
    const isRunning = activity.kind !== 'parked'
    const isWaiting = activity.kind !== 'driving'
    const engine = before.engine + (isRunning ? second : 0)
    const timeServer = time + 1000 + Math.floor(noise(delaySeed, time / 1000) * 2000)
    return {
      ...bareFix(time, timeServer, latitude, longitude),
      altitude: Math.round((elevation(seen.point) + 2 * drift(skySeed, time, 240_000)) * 10) / 10,
      angle: Math.round(seen.heading) % 360,
      speed: Math.round(seen.speed * 36) / 10,
      engineHours: (vehicle.engineHours * 3_600 + day.before.engine + engine) / 3_600,
      odometer:
        (vehicle.odometer * 1000 +
          Math.floor((day.before.driven + before.driven + seen.driven) / 1000)) /
        1000,
      hdop: Math.round((0.7 + 0.9 * sky) * 10) / 10,
      gpsLevel: 17 - Math.round(8 * sky),
      ignition: isRunning,
      attributes: onBoard({ time, day: day.start, engine, isRunning, isWaiting }),
      address: seen.address,
    }
  }
}

function sighting(activity: Activity, second: number) {
  if (activity.kind === 'driving') return activity.leg.at(second)
  const { point, address } = activity.spot
  return { point, heading: activity.heading, speed: 0, driven: 0, address }
}

const FIRST_MINUTES_MS = 10 * MINUTE_MS

/** The longest search for a busy moment: from a Friday evening to the Monday after, and a day more. */
const SEARCH_DAYS = 4

/** The vehicles that drive in the first minutes, and at the first moment, as shares of the fleet. */
const DRIVING_SOON = 1 / 2

const DRIVING_AT_ONCE = 1 / 4

/** From departure to arrival, in milliseconds since the epoch by the fleet's clock. */
type Drive = { from: number; to: number }

/**
 * How far the fleet's clock is ahead of the system's, in milliseconds. A visitor wants to see vehicles
 * drive, at night and on weekends too. So the fleet's clock begins at its first moment from `firstStart` on
 * at which a quarter of the vehicles drive, and half of them within the next ten minutes.
 */
export function aheadOf(firstStart: number): number {
  for (let day = 0; day < SEARCH_DAYS; day++) {
    const from = firstStart + day * DAY_MS
    const drives = VEHICLES.map((vehicle) => drivesOf(vehicle, from, from + DAY_MS))
    for (let moment = from; moment < from + DAY_MS; moment += MINUTE_MS) {
      if (isBusy(drives, moment)) return moment - firstStart
    }
  }
  return 0
}

/** The ident of the vehicle whose drive at a moment of the fleet's clock lasts longest. */
export function longestDriver(moment: number): string {
  const untils = VEHICLES.map(
    (vehicle) => driveAt(drivesOf(vehicle, moment, moment), moment)?.to ?? 0,
  )
  return VEHICLES[untils.indexOf(maxOf(untils))]!.ident
}

function isBusy(drives: Drive[][], moment: number): boolean {
  const until = moment + FIRST_MINUTES_MS
  const atOnce = drives.filter((own) => driveAt(own, moment) !== undefined)
  const soon = drives.filter((own) => own.some(({ from, to }) => overlap(from, to) >= MINUTE_MS))
  return (
    atOnce.length >= drives.length * DRIVING_AT_ONCE && soon.length >= drives.length * DRIVING_SOON
  )

  function overlap(from: number, to: number): number {
    return Math.min(to, until) - Math.max(from, moment)
  }
}

function driveAt(drives: Drive[], moment: number): Drive | undefined {
  return drives.find(({ from, to }) => from <= moment && moment < to)
}

/** The drives of a vehicle on the duty days of a range. */
function drivesOf(vehicle: Vehicle, from: number, to: number): Drive[] {
  if (!vehicle.reports) return []
  return [...dutyDays(vehicle, from, to)].flatMap(({ start, activities }) =>
    activities
      .filter(({ kind }) => kind === 'driving')
      .map((drive) => ({
        from: start + drive.start * 1000,
        to: start + (drive.start + drive.seconds) * 1000,
      })),
  )
}

/** The vehicle's fixes by the fleet's clock, with system times. See `demoFixes`. */
export function* drivenFixes(
  ident: string,
  from: number,
  to: number,
  ahead: number,
): Generator<Fix> {
  for (const fix of demoFixes(ident, from + ahead, to + ahead)) {
    yield { ...fix, timeDevice: fix.timeDevice - ahead, timeServer: fix.timeServer - ahead }
  }
}
