import { statement } from '../connection/connections.ts'
import { NEXT_IN } from './position-blocks.ts'

/** Shown as of the change with the number `$5`. */
const IS_SHOWN = '(change <= $5 AND (hidden IS NULL OR hidden > $5))'

const SHIFTS = `
  (SELECT string_agg(int8send(from_time) || int8send(odometer) || int8send(engine_hours), ''
      ORDER BY from_time)
    FROM counter_shifts WHERE organization = $1 AND object = $2)`

/**
 * The next blocks, at most `$7`, each with the rows of the table of positions before it, at most `$6`. If there are fewer blocks,
 * a last row has the rows after them. `block`: the block, or null if it is not needed. `joined`: values of the rows before it.
 */
const stretchOf = (block: string, columns: string, joined: string) =>
  statement(`
  WITH blocks AS MATERIALIZED (
    SELECT first_time, last_time, rows, shown, newest_change, block,
      lag(last_time, 1, $3) OVER (ORDER BY first_time) AS after
    FROM (
      SELECT first_time, last_time, rows, shown, newest_change, block ${NEXT_IN} LIMIT $7
    ) AS next
  ), segments AS (
    SELECT * FROM blocks
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, coalesce((SELECT max(last_time) FROM blocks), $3)
    WHERE (SELECT count(*) FROM blocks) < $7
  )
  SELECT EXISTS (SELECT FROM objects WHERE organization = $1 AND id = $2),
    (SELECT newest FROM sequences WHERE organization = $1),
    first_time, last_time, rows, shown, newest_change, ${block}, passed.*
  FROM segments CROSS JOIN LATERAL (
    SELECT count(*), max(time_device), count(*) FILTER (WHERE ${IS_SHOWN}) ${joined}
    FROM (
      SELECT time_device, change, hidden ${columns} FROM positions
      WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
        AND time_device > segments.after AND time_device < coalesce(segments.first_time, $4 + 1)
      ORDER BY time_device LIMIT $6
    ) AS stretch
  ) AS passed`)

/** A whole block whose rows all are shown or hidden as they are now is counted without reading it. */
export const COUNT = stretchOf(
  `CASE WHEN first_time <= $3 OR last_time > $4 OR newest_change > $5 OR shown >= $6 THEN block END`,
  '',
  '',
)

const RECORDS = `, string_agg(fix, '') FILTER (WHERE ${IS_SHOWN})`

/** The server joins the records of many rows into one value, instead of one for each. */
export const READ = stretchOf(
  'block',
  ', fix',
  `${RECORDS}, EXISTS (SELECT FROM counter_shifts WHERE organization = $1 AND object = $2)`,
)

/** For an object with shifts. One statement reads rows and shifts, because a shift moves when rows are rewritten. */
export const READ_SHIFTED = stretchOf(
  'block',
  ', fix, track',
  `${RECORDS}, ${SHIFTS},
    string_agg(int2send(octet_length(track)::int2) || track, '') FILTER (WHERE ${IS_SHOWN})`,
)

/** The fields of a row. */
export const AT = {
  ...{ known: 0, newest: 1, first: 2, last: 3, rows: 4, shown: 5, newestChange: 6, block: 7 },
  ...{ passed: 8, lastPassed: 9, shownPassed: 10, records: 11, shifts: 12, tracks: 13 },
} as const
