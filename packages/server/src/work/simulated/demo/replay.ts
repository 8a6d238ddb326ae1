import { bareFix, type Fix } from '../../../base/domain/position/fix.ts'
import { MINUTE_MS } from '../../../base/domain/time/time.ts'
import { localDays } from '../../../base/domain/time/time-zone.ts'
import { attributesOf } from '../attributes.ts'
import { type Column, MOTION, recording, type Vehicle } from './recording.ts'
import { addressOn, placeOn } from './street-place.ts'

const MADRID = localDays('Europe/Madrid')

/** Monday 1 January 2024, the day the fleet entered service, in days since the epoch. */
const FIRST_DAY = 19_723

/** The moment at which a week of the fleet begins, milliseconds since the epoch. 0: the first week. */
const mondayOf = (week: number) => MADRID.startOf(FIRST_DAY + 7 * week)

const weekOf = (moment: number) => Math.floor((MADRID.dayOf(moment) - FIRST_DAY) / 7)

/**
 * The fixes of a demo vehicle with `from` < `timeDevice` <= `to`, in order, in times of the system. The fleet's clock
 * is `ahead` of it (milliseconds). The fix of a moment is the same in every range. A vehicle that never reported has
 * none.
 */
export function* drivenFixes(
  ident: string,
  from: number,
  to: number,
  ahead: number,
): Generator<Fix> {
  const vehicle = recording().vehicles.get(ident)
  if (vehicle === undefined) return
  const { seconds } = vehicle.columns
  const [after, last] = [from + ahead, to + ahead]
  for (let week = Math.max(0, weekOf(after) - 1); startOf(vehicle, week) <= last; week++) {
    const start = startOf(vehicle, week)
    // The week that ends with the change of the clocks is an hour longer or shorter. The vehicle is parked then.
    const end = Math.min(last, startOf(vehicle, week + 1) - 1)
    const first = seconds.findIndex((second) => start + second * 1000 > after)
    for (let row = first; row >= 0 && row < seconds.length; row++) {
      const time = start + seconds[row]! * 1000
      if (time > end) break
      yield fixAt(vehicle, week, row, time - ahead)
    }
  }
}

/**
 * How far the fleet's clock is ahead of the system's, in milliseconds. A visitor wants to see vehicles
 * drive, at night and on weekends too. So the fleet's clock begins at its first busy minute from `firstStart` on.
 */
export function aheadOf(firstStart: number): number {
  const week = weekOf(firstStart)
  const { busy } = recording()
  const minute = Math.ceil((firstStart - mondayOf(week)) / MINUTE_MS)
  const next = busy.find((at) => at >= minute)
  const moment =
    next === undefined
      ? mondayOf(week + 1) + busy[0]! * MINUTE_MS
      : mondayOf(week) + next * MINUTE_MS
  return moment - firstStart
}

/** The ident of the vehicle whose drive at a moment of the fleet's clock lasts longest. */
export function longestDriver(moment: number): string {
  const drives = Array.from(recording().vehicles, ([ident, vehicle]) => ({
    ident,
    seconds: drivesFor(vehicle, moment),
  }))
  return drives.reduce((longest, next) => (next.seconds > longest.seconds ? next : longest)).ident
}

/** The seconds until a vehicle ends its drive. 0: it does not drive. */
function drivesFor(vehicle: Vehicle, moment: number): number {
  const { seconds, motion } = vehicle.columns
  const week = weekOf(moment - vehicle.begins * 1000)
  const now = Math.floor((moment - startOf(vehicle, week)) / 1000)
  const row = seconds.findLastIndex((second) => second <= now)
  const end = motion.findIndex((value, next) => next >= row && value !== MOTION.driving)
  return Math.max(0, (seconds[end] ?? now) - now)
}

function startOf({ begins }: Vehicle, week: number): number {
  return mondayOf(week) + begins * 1000
}

/** The position of a row, in a week. The counters have what was driven in the weeks before it. */
function fixAt(vehicle: Vehicle, week: number, row: number, time: number): Fix {
  const { settings, columns, along, engine, isRefrigerated } = vehicle
  const read = (name: Column) => columns[name][row]!
  const total = (counter: Int32Array) => week * counter.at(-1)! + counter[row]!
  const { streets, drivers } = recording()
  const isForward = read('forward') === 1
  const street = streets[read('street')]!
  const place = placeOn(street, along[row]!, isForward, read('aside'))
  // It arrives after 1 to 3 seconds.
  const delay = 1000 + ((read('seconds') * 617) % 2000)
  return {
    ...bareFix(time, time + delay, place.latitude, place.longitude),
    ...place,
    address: addressOn(street, along[row]!, isForward),
    speed: read('speed'),
    engineHours: (settings.engineHours * 3_600 + total(engine)) / 3_600,
    odometer: (settings.odometer * 1000 + total(columns.driven)) / 1000,
    hdop: (7 + read('sky')) / 10,
    gpsLevel: 17 - read('sky'),
    ignition: read('motion') !== MOTION.parked,
    attributes: attributesOf({
      battery: read('battery') / 10,
      driverUniqueId: drivers[read('driver')]!,
      fuelLevel: read('fuel') / 10,
      ...(isRefrigerated && { temp1: read('temperature') / 10 }),
    }),
  }
}
