import type { Shift } from '../../../fold/object-shifts.ts'
import { readTrackRows, type TrackRow } from '../../../fold/track-row.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'

const WHOSE = 'organization = $1 AND object = $2'
const SHIFTS = statement(`
  SELECT from_time AS "from", odometer, engine_hours AS "engineHours" FROM counter_shifts
  WHERE ${WHOSE} ORDER BY from_time
`)
/** A block of rows, as `readTrackRows` takes it. */
const BLOCK = statement(`
  SELECT string_agg(
    set_byte(set_byte('\\x0000'::bytea, 0, (hidden IS NULL)::int), 1, coalesce(length(track), 0))
      || fix || coalesce(track, ''::bytea), ''::bytea ORDER BY time_device) AS block
  FROM (
    SELECT time_device, fix, track, hidden FROM positions
    WHERE ${WHOSE} AND time_device > $3 ORDER BY time_device LIMIT $4
  ) AS first
`)

/** The first rows of an object after a moment, with all shifts. */
export async function trackRows(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  object: number,
  after: number,
  limit: number,
): Promise<TrackRow[]> {
  const [[found], shifts] = await Promise.all([
    query<{ block: Buffer | null }>(BLOCK, [organization, object, after, limit]),
    query<Shift>(SHIFTS, [organization, object]),
  ])
  return found!.block === null ? [] : readTrackRows(found!.block, shifts)
}
