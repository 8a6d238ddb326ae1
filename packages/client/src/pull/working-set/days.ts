import type { DatabaseSync } from 'node:sqlite'

/** The days that have a file or positions. */
export type Days = {
  all(): number[]
  /** Days between two, both included, whose writes wait for being folded. */
  arrived(from: number, to: number): number[]
  /** Whether the day's positions changed since its file was written. */
  isChanged(day: number): boolean
  /** Notes that the day's file has all of its positions. */
  settle(day: number): void
  drop(day: number): void
}

export function openDays(database: DatabaseSync): Days {
  const all = database.prepare('SELECT day FROM days ORDER BY day')
  const arrived = database.prepare('SELECT day FROM days WHERE has_arrived AND day BETWEEN ? AND ?')
  const changed = database.prepare('SELECT 1 FROM days WHERE day = ? AND is_changed')
  const settle = database.prepare('UPDATE days SET is_changed = 0 WHERE day = ?')
  const drop = database.prepare('DELETE FROM days WHERE day = ?')
  const numbers = (rows: Record<string, unknown>[]) => rows.map(({ day }) => day as number)
  return {
    all: () => numbers(all.all()),
    arrived: (from, to) => numbers(arrived.all(from, to)),
    isChanged: (day) => changed.get(day) !== undefined,
    settle: (day) => void settle.run(day),
    drop: (day) => void drop.run(day),
  }
}
