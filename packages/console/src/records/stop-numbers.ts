import type { DayRecord } from './day-records.ts'

/** A shorter stop is a light or a turn, and has no number. */
const SHORT_SECONDS = 60

export function isShortStop(record: DayRecord): boolean {
  return record.kind === 'stop' && !record.row.open && record.row.duration < SHORT_SECONDS
}

/** The numbers of stops in the order of their day, by the keys of their records. */
export function stopNumbers(records: readonly DayRecord[]): ReadonlyMap<string, number> {
  const numbered = records.filter((record) => record.kind === 'stop' && !isShortStop(record))
  return new Map(numbered.map(({ key }, index) => [key, index + 1]))
}
