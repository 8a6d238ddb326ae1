import { besideDay, type Day, dayRange, isDay } from '../ui/days.ts'

/** When a key or a token is to end, as it is chosen. `day`: the last on which it holds. */
export type Expiry = { choice: 'never' | '30' | '90' | '365' | 'day'; day: Day | '' }

export const NEVER: Expiry = { choice: 'never', day: '' }

const DAY_MS = 86_400_000

/** The instant at which it ends, null for never; undefined where a day is still to be chosen. */
export function expiresAt(
  { choice, day }: Expiry,
  now: number,
  utc: boolean,
): string | null | undefined {
  if (choice === 'never') return null
  if (choice !== 'day') return new Date(now + Number(choice) * DAY_MS).toISOString()
  return isDay(day) ? dayRange(besideDay(day, 1), utc).from : undefined
}
