import { besideDay, type Day, dayRange, isDay } from '../ui/time/days.ts'

/** The chosen expiry of a key or token. `day` is its last valid day. */
export type Expiry = { choice: 'never' | '30' | '90' | '365' | 'day'; day: Day | '' }

export const NEVER: Expiry = { choice: 'never', day: '' }

/** Proposed for a new API key: nobody notices one that is forgotten. */
export const PROPOSED: Expiry = { choice: '90', day: '' }

const DAY_MS = 86_400_000

/** The instant of expiry. Null: never. Undefined if no day is chosen yet. */
export function expiresAt(
  { choice, day }: Expiry,
  now: number,
  utc: boolean,
): string | null | undefined {
  if (choice === 'never') return null
  if (choice !== 'day') return new Date(now + Number(choice) * DAY_MS).toISOString()
  return isDay(day) ? dayRange(besideDay(day, 1), utc).from : undefined
}
