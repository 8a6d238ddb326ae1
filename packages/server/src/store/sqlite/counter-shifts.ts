import type { DatabaseSync } from 'node:sqlite'
import { type ObjectShifts, objectShifts, type Shift } from '../folding/object-shifts.ts'
import type { ShiftWrites } from '../folding/tables.ts'

/** The shifts of one object, by time. */
export function shiftReader(
  connection: DatabaseSync,
): (organization: number, object: number) => ObjectShifts {
  const list = connection.prepare(`
    SELECT from_time AS "from", odometer, engine_hours AS engineHours FROM counter_shifts
    WHERE organization = ? AND object = ? ORDER BY from_time
  `)
  return (organization, object) => objectShifts(list.all(organization, object) as Shift[])
}

/** Calls are part of a transaction of the writer. */
export function shiftWrites(writer: DatabaseSync): ShiftWrites {
  const insert = writer.prepare('INSERT INTO counter_shifts VALUES (?, ?, ?, ?, ?)')
  const remove = writer.prepare(
    'DELETE FROM counter_shifts WHERE organization = ? AND object = ? AND from_time >= ?',
  )
  return {
    replaceSince({ organization, object, shifts }, since, later) {
      if (shifts.all.some(({ from }) => from >= since)) remove.run(organization, object, since)
      for (const { from, odometer, engineHours } of later) {
        insert.run(organization, object, from, odometer, engineHours)
      }
    },
  }
}
