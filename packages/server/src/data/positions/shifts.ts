import {
  type ObjectShifts,
  type Shift,
  type ShiftOfObject,
  shiftsByObject,
} from '../../engine/tracking/object-shifts.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Dialect, Sql } from '../tables/sql.ts'

const COLUMNS = 'from_time AS "from", odometer, engine_hours AS "engineHours"'
const OF_ONE = `
  SELECT ${COLUMNS} FROM counter_shifts
  WHERE organization = $1 AND object = $2 ORDER BY from_time`

/** The shifts of an object, by time. The call sends the question. */
export function shiftsOf({ all }: Sql, organization: number, object: number): Work<Shift[]> {
  return all<Shift>(OF_ONE, [organization, object])
}

/** Reads the shifts of those of some objects that have any. Most have none. The call sends the question. */
export type ShiftsAmong = (
  sql: Sql,
  organization: number,
  objects: Iterable<number>,
) => Work<Map<number, ObjectShifts>>

export function shiftReader({ isIn, list }: Dialect): ShiftsAmong {
  const shifts = `
    SELECT object, ${COLUMNS} FROM counter_shifts
    WHERE organization = $1 AND ${isIn('object', '$2')} ORDER BY object, from_time`
  return ({ all }, organization, objects) => {
    const found = all<ShiftOfObject>(shifts, [organization, list([...new Set(objects)])])
    return byObject(found)
  }
}

function* byObject(found: Work<ShiftOfObject[]>): Work<Map<number, ObjectShifts>> {
  return shiftsByObject(yield* found)
}
