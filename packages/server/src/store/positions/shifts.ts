import {
  type ObjectShifts,
  type ShiftOfObject,
  shiftsByObject,
} from '../../tracking/object-shifts.ts'
import type { Work } from '../../tracking/work.ts'
import type { Dialect, Sql } from '../tables/sql.ts'

/** Reads the shifts of those of some objects that have any. Most have none. The call sends the question. */
export type ShiftsAmong = (
  sql: Sql,
  organization: number,
  objects: Iterable<number>,
) => Work<Map<number, ObjectShifts>>

export function shiftReader({ isIn, list }: Dialect): ShiftsAmong {
  const shifts = `
    SELECT object, from_time AS "from", odometer, engine_hours AS "engineHours" FROM counter_shifts
    WHERE organization = $1 AND ${isIn('object', '$2')} ORDER BY object, from_time`
  return ({ all }, organization, objects) => {
    const found = all<ShiftOfObject>(shifts, [organization, list([...new Set(objects)])])
    return byObject(found)
  }
}

function* byObject(found: Work<ShiftOfObject[]>): Work<Map<number, ObjectShifts>> {
  return shiftsByObject(yield* found)
}
