import type { DayRecord } from '../../records/day-records.ts'
import { levelWords } from '../../records/level-words.ts'
import { endOf, startOf } from '../../records/span.ts'
import { stopNumbers } from '../../records/stop-numbers.ts'
import type { ChartedAttribute } from './speed-series.ts'

/** A time without motion: a stop, or a trip of which only the ends are known. In milliseconds. */
export type StandBand = {
  from: number
  /** Infinite while it lasts. */
  to: number
  kind: 'stopped' | 'silent'
  /** The number of the stop on the map and in the list. Null: it has none. */
  number: number | null
}

export function standBands(records: readonly DayRecord[]): StandBand[] {
  const numbers = stopNumbers(records)
  return records.flatMap((record): StandBand[] => {
    const isSilent = record.kind === 'trip' && record.row.silent_time > 0
    if (record.kind !== 'stop' && !isSilent) return []
    return [
      {
        from: startOf(record.row),
        to: endOf(record.row),
        kind: isSilent ? 'silent' : 'stopped',
        number: numbers.get(record.key) ?? null,
      },
    ]
  })
}

/** A rise or a fall of a level. */
export type LevelMark = {
  /** The first position with the new level, in milliseconds. */
  at: number
  rises: boolean
  /** `+180 l`. */
  amount: string
  /** In words. */
  text: string
}

export function levelMarks(
  records: readonly DayRecord[],
  attributes: readonly ChartedAttribute[],
): LevelMark[] {
  return records.flatMap((record): LevelMark[] => {
    if (record.kind !== 'level') return []
    const { kind, end_time } = record.row
    const { amount, title } = levelWords(record.row, attributes)
    return [{ at: Date.parse(end_time), rises: kind === 'filled', amount, text: title }]
  })
}
