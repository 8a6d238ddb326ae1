import { NO_SHIFTS, type ObjectShifts, objectShifts } from '../../engine/tracking/object-shifts.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { BLOCK_COLUMNS, NEXT_IN, type PositionForm } from '../positions/position-tables.ts'
import { shiftsOf } from '../positions/shifts.ts'
import type { Sql } from '../tables/sql.ts'
import { type Ask, IS_SHOWN, type NextBlock, type Segment, UNLESS_COUNTED } from './segments.ts'

const BLOCK = `SELECT ${BLOCK_COLUMNS} ${NEXT_IN} LIMIT 1`
const COUNTED_BLOCK = `
  SELECT organization, object, first_time AS first, last_time AS last, rows, shown,
    newest_change AS "newestChange", ${UNLESS_COUNTED} AS block
  ${NEXT_IN} LIMIT 1`

const HAS_SHIFTS = `
  EXISTS (SELECT 1 FROM counter_shifts WHERE organization = $1 AND object = $2) AS "hasShifts"`

type Passed = Omit<Segment, 'block'>

/** Reads the next segment of a range, with the shifts of its object. The statements have to see one moment. */
export function segmentReader({ bytes, trackRow, atMost }: PositionForm) {
  /** One value for the rows, because each value costs a call. */
  const passing = (rows: string) => `
    SELECT count(*) AS passed, count(*) FILTER (WHERE ${IS_SHOWN}) AS shown,
      max(time_device) AS last, ${rows}
    FROM (
      SELECT time_device, change, hidden, fix, track FROM positions
      WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
      ORDER BY time_device LIMIT ${atMost('$6')}
    ) AS passing`
  const shown = (row: string) => bytes(`CASE WHEN ${IS_SHOWN} THEN ${row} END`)
  const counted = passing('NULL AS rows')
  const records = passing(`${shown('fix')} AS rows, ${HAS_SHIFTS}`)
  const shifted = passing(`${shown(trackRow)} AS rows`)

  return function* (
    sql: Sql,
    { range, asOf, rows, isCount }: Ask,
  ): Work<{ shifts: ObjectShifts; segments: Segment[] }> {
    const { organization, object, after, to } = range
    const span = [organization, object, after, to]
    const block = yield* isCount
      ? sql.one<NextBlock>(COUNTED_BLOCK, [...span, asOf, rows])
      : sql.one<NextBlock>(BLOCK, span)
    const end = block === undefined ? to : block.first - 1
    const values = [organization, object, after, end, asOf, rows]
    const of = (passed: Passed): Segment[] => [{ ...passed, block: block ?? null }]
    if (isCount) {
      return { shifts: NO_SHIFTS, segments: of((yield* sql.one<Passed>(counted, values))!) }
    }
    const { hasShifts, ...passed } = (yield* sql.one<Passed & { hasShifts: unknown }>(
      records,
      values,
    ))!
    if (!hasShifts) return { shifts: NO_SHIFTS, segments: of(passed) }
    const shifts = objectShifts(yield* shiftsOf(sql, organization, object))
    return { shifts, segments: of((yield* sql.one<Passed>(shifted, values))!) }
  }
}
