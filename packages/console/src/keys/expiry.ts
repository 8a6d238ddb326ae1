import { besideDay, type Day, dayRange, isDay } from '../ui/time/days.ts'

/** The chosen expiry of a key or token. `day` is its last valid day. */
export type Expiry = { choice: 'never' | '30' | '90' | '365' | 'day'; day: Day | '' }

export const NEVER: Expiry = { choice: 'never', day: '' }

/** Proposed for a new API key: nobody notices one that is forgotten. */
export const PROPOSED: Expiry = { choice: '90', day: '' }

const DAY_MS = 86_400_000

export function isChosen({ choice, day }: Expiry): boolean {
  return choice !== 'day' || isDay(day)
}

/** The instant of an expiry that is chosen. Null: never. */
export function expiresAt({ choice, day }: Expiry, now: number, utc: boolean): string | null {
  if (choice === 'never') return null
  if (choice === 'day') return dayRange(besideDay(day, 1), utc).from
  return new Date(now + Number(choice) * DAY_MS).toISOString()
}
