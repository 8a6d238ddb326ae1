import { momentText } from './moments.ts'

/** A day as in a date picker, `2026-03-09`: in the viewer's time zone, or in UTC if chosen. */
export type Day = string

/** Whether a text is a valid day. Date fields also give half-typed dates and years of five digits. */
export function isDay(text: string): text is Day {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

export function dayOf(instant: string | number, utc: boolean): Day {
  return momentText(instant, utc).slice(0, 10)
}

/** The first and the last moment of a day. It has 23 or 25 hours when the clocks change. */
export function dayRange(day: Day, utc: boolean): { from: string; to: string } {
  const beginOf = (each: Day) => new Date(`${each}T00:00:00${utc ? 'Z' : ''}`)
  const next = beginOf(besideDay(day, 1))
  return { from: beginOf(day).toISOString(), to: new Date(next.getTime() - 1).toISOString() }
}

export function besideDay(day: Day, days: number): Day {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
