import { maxOf } from '../../domain/common/any-number.ts'
import type { Fix } from '../../domain/position/fix.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/time/time.ts'
import { demoFixes } from './fixes.ts'
import { dutyDays } from './roster.ts'
import { VEHICLES, type Vehicle } from './vehicles.ts'

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
