import { InvalidArgumentError } from 'commander'
import { DAY_MS, parseDate, parseInstant } from '../domain/time/time.ts'

/** An id: a whole number from 1. */
export function id(written: string): number {
  const value = Number(written)
  if (!/^\d+$/.test(written) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('it must be an id, a whole number such as 7')
  }
  return value
}

/** The beginning of a day in UTC, in milliseconds since the epoch. */
export function day(written: string): number {
  const date = parseDate(written)
  if (date === undefined) throw new InvalidArgumentError('it must be a date such as 2026-11-20')
  return date
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }

/** Milliseconds of a duration such as `90d`. */
export function duration(written: string): number {
  const milliseconds = parseDuration(written)
  if (milliseconds === undefined) {
    throw new InvalidArgumentError('it must be a duration such as 30m, 24h, 90d or 12w')
  }
  return milliseconds
}

/**
 * An expiry in milliseconds since the epoch: a moment, a date (its last millisecond in UTC) or a duration
 * from now.
 */
export function ending(written: string, now: number): number {
  const date = parseDate(written)
  const length = parseDuration(written)
  const end =
    date !== undefined
      ? date + DAY_MS - 1
      : length !== undefined
        ? now + length
        : parseInstant(written)
  if (end === undefined) {
    throw new InvalidArgumentError(
      'it must be a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z or a duration such as 90d',
    )
  }
  if (end <= now) throw new InvalidArgumentError('it must be in the future')
  return Math.floor(end)
}

function parseDuration(written: string): number | undefined {
  const match = /^(\d{1,6})([smhdw])$/.exec(written)
  return match === null ? undefined : Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
}
