import { DAY_MS } from '../domain/time/time.ts'

const HOUR_MS = 3_600_000

/** The moment at which a calendar day (counted from 1 January 1970) begins in Europe/Madrid. */
export function madridMidnight(day: number): number {
  const winter = day * DAY_MS - HOUR_MS
  return isSummer(winter) ? winter - HOUR_MS : winter
}

/** The calendar day in Europe/Madrid at a moment. */
export function madridDay(time: number): number {
  return Math.floor((time + (isSummer(time) ? 2 : 1) * HOUR_MS) / DAY_MS)
}

/** 0 for Monday to 6 for Sunday. */
export function weekday(day: number): number {
  return (day + 3) % 7
}

/** Summer time of the European Union: from the last Sunday of March, 01:00 UTC, to October's. */
function isSummer(time: number): boolean {
  const year = new Date(time).getUTCFullYear()
  return time >= lastSunday(year, 2) && time < lastSunday(year, 9)
}

function lastSunday(year: number, month: number): number {
  const last = Date.UTC(year, month, 31) / DAY_MS
  return (last - ((weekday(last) + 1) % 7)) * DAY_MS + HOUR_MS
}
