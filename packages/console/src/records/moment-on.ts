import { clockTime, timeOf } from '../ui/format.ts'
import { type Day, dayOf } from '../ui/time/days.ts'

/** `14:05` for a moment of the day, else with its date. */
export function momentOn(instant: string, day: Day, utc: boolean): string {
  const isOnDay = dayOf(instant, utc) === day
  return isOnDay ? clockTime(instant, 'minute', utc) : timeOf(instant, 'minute', utc)
}
