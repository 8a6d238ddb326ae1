import type { DatabaseSync } from 'node:sqlite'

/** The days that have a file or entries. */
export type Days = {
  all(): number[]
  /** Days whose entries changed since their file was written. */
  changed(): number[]
  change(day: number): void
  changeAll(): void
  /** Notes that the day's file has all of its entries. */
  settle(day: number): void
  drop(day: number): void
}

export function openDays(database: DatabaseSync): Days {
  const all = database.prepare('SELECT day FROM days ORDER BY day')
  const changed = database.prepare('SELECT day FROM days WHERE is_changed ORDER BY day')
  const change = database.prepare(
    'INSERT INTO days VALUES (?, 1) ON CONFLICT (day) DO UPDATE SET is_changed = 1 WHERE NOT is_changed',
  )
  const settle = database.prepare('UPDATE days SET is_changed = 0 WHERE day = ?')
  const drop = database.prepare('DELETE FROM days WHERE day = ?')
  const numbers = (rows: Record<string, unknown>[]) => rows.map(({ day }) => day as number)
  return {
    all: () => numbers(all.all()),
    changed: () => numbers(changed.all()),
    change: (day) => void change.run(day),
    changeAll: () => database.exec('UPDATE days SET is_changed = 1'),
    settle: (day) => void settle.run(day),
    drop: (day) => void drop.run(day),
  }
}
