import { addAll } from '../../../domain/any-number.ts'
import type { TimeRange } from '../../../domain/time/time-range.ts'
import { takeTurn } from '../../../domain/turn.ts'
import {
  NO_SHIFTS,
  objectShifts,
  type Shift,
  type ShiftOfObject,
  shiftsByObject,
} from '../../../fold/object-shifts.ts'
import { runAwaiting, waitFor } from '../../../fold/work.ts'
import type { ChangeView, NewestPosition, PositionName } from '../../change-log.ts'
import { earlierTrips, type TripReader, type TripRow } from '../../earlier-trips.ts'
import { newestPosition, type ShownRow, shownRecord } from '../../shown-record.ts'
import { int8Array } from '../connection/binary-arrays.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'

/** Rows of a range that one statement reads. */
const SLICE_ROWS = 2_000

const WHOSE = 'organization = $1 AND object = $2'
const SHIFTS = statement(`
  SELECT from_time AS "from", odometer, engine_hours AS "engineHours" FROM counter_shifts
  WHERE ${WHOSE} ORDER BY from_time
`)
/** Positions by name, with their place among the names. Each name is looked up by the key. */
const FOUND = statement(`
  SELECT wanted.place, wanted.object, shown.* FROM unnest($2::int8[], $3::int8[])
    WITH ORDINALITY AS wanted (object, time, place)
  CROSS JOIN LATERAL (
    SELECT time_device AS time, fix, track FROM positions
    WHERE organization = $1 AND object = wanted.object AND time_device = wanted.time
      AND hidden IS NULL
  ) AS shown
`)
const SHIFTS_OF = statement(`
  SELECT object, from_time AS "from", odometer, engine_hours AS "engineHours" FROM counter_shifts
  WHERE organization = $1 AND object = ANY($2::int8[]) ORDER BY object, from_time
`)
const RANGE = statement(`
  SELECT time_device AS time, fix, CASE
      WHEN EXISTS (SELECT FROM counter_shifts WHERE ${WHOSE}) THEN track
    END AS track
  FROM positions
  WHERE ${WHOSE} AND time_device > $3 AND time_device <= $4 AND hidden IS NULL
  ORDER BY time_device LIMIT $5
`)
/** The newest row of each object in its range. Each is looked up by the key. */
const NEWEST_OF_EACH = statement(`
  SELECT wanted.object, newest.* FROM unnest($2::int8[], $3::int8[], $4::int8[])
    AS wanted (object, first, last)
  CROSS JOIN LATERAL (
    SELECT time_device AS time, fix, track FROM positions
    WHERE organization = $1 AND object = wanted.object
      AND time_device BETWEEN wanted.first AND wanted.last
    ORDER BY time_device DESC LIMIT 1
  ) AS newest
`)
const NEWEST_SHOWN = statement(`
  SELECT wanted.object, shown.time FROM unnest($2::int8[]) AS wanted (object)
  CROSS JOIN LATERAL (
    SELECT time_device AS time FROM positions
    WHERE organization = $1 AND object = wanted.object
      AND time_device >= $3 AND time_device <= $4 AND hidden IS NULL
    ORDER BY time_device DESC LIMIT 1
  ) AS shown
`)
const IS_MARKED = statement(`SELECT 1 FROM refolds WHERE ${WHOSE}`)
const NEWEST = statement(`
  SELECT time_device AS time FROM positions WHERE ${WHOSE} ORDER BY time_device DESC LIMIT 1
`)
const TRIPS = statement(`
  SELECT time_device AS time, track FROM positions
  WHERE ${WHOSE} AND time_device >= $3 ORDER BY time_device LIMIT $4
`)

type FoundRow = ShownRow & { place: number; object: number; track: Uint8Array }

/** The positions that answers show now. The calls are those of a view of an organization. */
export function shownPositions(
  { query }: Connection,
  organization: number,
): Pick<ChangeView, 'positions' | 'range' | 'newest' | 'newestIn' | 'earlierTrips'> {
  const shiftsOf = async (object: number) =>
    objectShifts(await query<Shift>(SHIFTS, [organization, object]))

  async function positions(wanted: readonly PositionName[]): Promise<(Uint8Array | null)[]> {
    const found: (Uint8Array | null)[] = Array(wanted.length).fill(null)
    for (let from = 0; from < wanted.length; from += SLICE_ROWS) {
      if (from > 0) await takeTurn()
      const part = wanted.slice(from, from + SLICE_ROWS)
      const objects = int8Array(part.map(({ object }) => object))
      const times = int8Array(part.map(({ time }) => time))
      const [shifted, rows] = await Promise.all([
        query<ShiftOfObject>(SHIFTS_OF, [organization, objects]),
        query<FoundRow>(FOUND, [organization, objects, times]),
      ])
      const shifts = shiftsByObject(shifted)
      for (const row of rows) {
        found[from + row.place - 1] = shownRecord(row, shifts.get(row.object) ?? NO_SHIFTS)
      }
    }
    return found
  }

  async function newestIn(wanted: readonly ({ object: number } & TimeRange)[]) {
    const found: NewestPosition[] = []
    for (let from = 0; from < wanted.length; from += SLICE_ROWS) {
      if (from > 0) await takeTurn()
      const part = wanted.slice(from, from + SLICE_ROWS)
      const objects = int8Array(part.map(({ object }) => object))
      const ranges = [int8Array(part.map((each) => each.from)), int8Array(part.map(({ to }) => to))]
      const [shifted, rows] = await Promise.all([
        query<ShiftOfObject>(SHIFTS_OF, [organization, objects]),
        query<Omit<FoundRow, 'place'>>(NEWEST_OF_EACH, [organization, objects, ...ranges]),
      ])
      const shifts = shiftsByObject(shifted)
      for (const row of rows) found.push(newestPosition(row, shifts.get(row.object) ?? NO_SHIFTS))
    }
    return found
  }

  function tripReader(object: number): TripReader {
    const whose = [organization, object]
    return {
      *isMarked() {
        return (yield* waitFor(query(IS_MARKED, whose))).length > 0
      },
      since: (time, limit) => waitFor(query<TripRow>(TRIPS, [...whose, time, limit])),
      *newest() {
        return (yield* waitFor(query<{ time: number }>(NEWEST, whose)))[0]?.time ?? null
      },
    }
  }

  return {
    positions,
    async range(object, after, to, limit) {
      const shifts = await shiftsOf(object)
      const records: Uint8Array[] = []
      for (let [last, left] = [after, limit]; left > 0; ) {
        const size = Math.min(left, SLICE_ROWS)
        const rows = await query<ShownRow>(RANGE, [organization, object, last, to, size])
        for (const row of rows) records.push(shownRecord(row, shifts))
        if (rows.length < size) break
        last = rows.at(-1)!.time
        left -= size
      }
      return Buffer.concat(records)
    },
    async newest(objects, { from, to }) {
      const found: PositionName[] = []
      for (let start = 0; start < objects.length; start += SLICE_ROWS) {
        if (start > 0) await takeTurn()
        const part = int8Array(objects.slice(start, start + SLICE_ROWS))
        addAll(found, await query<PositionName>(NEWEST_SHOWN, [organization, part, from, to]))
      }
      return found
    },
    newestIn,
    earlierTrips: (object, from, tripsSince) =>
      runAwaiting(earlierTrips(tripReader(object), from, tripsSince)),
  }
}
