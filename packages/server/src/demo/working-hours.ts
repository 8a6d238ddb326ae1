import type { Fix } from '../domain/fix.ts'
import { demoFixes } from './fixes.ts'
import { madridDay, madridMidnight, weekday } from './madrid-time.ts'

const HOUR_MS = 3_600_000
/** Hours in Madrid between which much of the fleet drives on working days. Afterwards it has lunch. */
const OUT_FROM = 8
const OUT_TO = 12
/** The fleet's clock when a demo starts outside these hours. */
const BEGINS_AT = 9.5

/**
 * How far the fleet's clock is ahead of the system's, in milliseconds. A visitor wants to see vehicles
 * drive. So at night and on weekends the fleet's clock starts in the morning of its next working day.
 */
export function aheadOf(firstStart: number): number {
  let day = madridDay(firstStart)
  const hours = (firstStart - madridMidnight(day)) / HOUR_MS
  if (isWorkday(day) && hours >= OUT_FROM && hours < OUT_TO) return 0
  if (hours >= BEGINS_AT) day += 1
  while (!isWorkday(day)) day += 1
  return madridMidnight(day) + BEGINS_AT * HOUR_MS - firstStart
}

function isWorkday(day: number): boolean {
  return weekday(day) < 5
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
