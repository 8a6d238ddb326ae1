import type { Fix } from '../domain/fix.ts'
import { demoFixes } from './fixes.ts'
import { madridDay, madridMidnight, weekday } from './madrid-time.ts'

const HOUR_MS = 3_600_000
/** Hours in Madrid between which much of the fleet is out, on working days; after them it has lunch. */
const OUT_FROM = 8
const OUT_TO = 12
/** When its clock begins, for who starts it while it would be at home. */
const BEGINS_AT = 9.5

/**
 * How far the fleet's own clock is ahead of ours, milliseconds. Who starts a demo wants to see it drive: by
 * night, and on weekends, its clock begins in the morning of its next working day, and goes on from there.
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

/** What a vehicle drives by the fleet's clock, in times of ours; see `demoFixes`. */
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
