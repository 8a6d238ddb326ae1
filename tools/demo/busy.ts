import { WEEK, weekOf } from './roster.ts'
import type { Vehicle } from './vehicles.ts'

const MINUTE = 60

/** The vehicles that drive in the first minutes, and at the first moment, as shares of the fleet. */
const DRIVING_SOON = 1 / 2
const SOON = 10 * MINUTE
const DRIVING_AT_ONCE = 1 / 4

/** From departure to arrival, in seconds since Monday at midnight. */
type Drive = { from: number; to: number }

/**
 * The minutes of the week, from Monday at midnight on, at which a visitor sees vehicles drive: a quarter of the fleet,
 * and half of it within ten minutes.
 */
export function busyMinutes(vehicles: readonly Vehicle[]): number[] {
  const drives = vehicles.map(drivesOf)
  return Array.from({ length: WEEK / MINUTE }, (_, minute) => minute).filter((minute) =>
    isBusy(drives, minute * MINUTE),
  )
}

function isBusy(drives: Drive[][], moment: number): boolean {
  const until = moment + SOON
  const atOnce = drives.filter((own) => own.some(({ from, to }) => from <= moment && moment < to))
  const soon = drives.filter((own) => own.some((drive) => overlap(drive) >= MINUTE))
  return (
    atOnce.length >= drives.length * DRIVING_AT_ONCE && soon.length >= drives.length * DRIVING_SOON
  )

  function overlap({ from, to }: Drive): number {
    return Math.min(to, until) - Math.max(from, moment)
  }
}

/** The drives of a vehicle in the week before, this one and the next: those of the night end on another day. */
function drivesOf(vehicle: Vehicle): Drive[] {
  if (!vehicle.reports) return []
  return weekOf(vehicle)
    .filter(({ kind }) => kind === 'driving')
    .flatMap(({ start, seconds }) =>
      [-WEEK, 0, WEEK].map((later) => {
        const from = beginningOf(vehicle) + start + later
        return { from, to: from + seconds }
      }),
    )
}

/** Seconds from Monday at midnight to the moment at which a vehicle's week begins. */
export function beginningOf({ duty }: Vehicle): number {
  return duty.turnover * 3_600
}
