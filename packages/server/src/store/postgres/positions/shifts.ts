import { statement } from '../connection/connections.ts'

const COLUMNS = 'from_time AS "from", odometer, engine_hours AS "engineHours"'

/** The `Shift`s of an object, by time. */
export const SHIFTS = statement(`
  SELECT ${COLUMNS} FROM counter_shifts
  WHERE organization = $1 AND object = $2 ORDER BY from_time
`)
/** The `ShiftOfObject`s of some objects. */
export const SHIFTS_OF = statement(`
  SELECT object, ${COLUMNS} FROM counter_shifts
  WHERE organization = $1 AND object = ANY($2::int8[]) ORDER BY object, from_time
`)
