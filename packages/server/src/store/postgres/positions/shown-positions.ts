import type { TimeRange } from '../../../domain/time/time-range.ts'
import {
  NO_SHIFTS,
  type ObjectShifts,
  objectShifts,
  type Shift,
  type ShiftOfObject,
  shiftsByObject,
} from '../../../tracking/object-shifts.ts'
import { runAwaiting, waitFor } from '../../../tracking/work.ts'
import type { ChangeView, PositionName } from '../../change-log.ts'
import { earlierTrips, type TripReader, type TripRow } from '../../earlier-trips.ts'
import { inParts } from '../../in-slices.ts'
import { newestPosition, type ShownRow, shownRecord } from '../../shown-record.ts'
import { int8Array } from '../connection/binary-arrays.ts'
import { type Statement, statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'
import { SHIFTS, SHIFTS_OF } from './shifts.ts'

/** Rows of a range that one statement reads. */
const SLICE_ROWS = 2_000

const WHOSE = 'organization = $1 AND object = $2'
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

  /** The shifts of some objects, and rows of theirs. */
  async function withShifts<Row extends object>(
    of: readonly { object: number }[],
    rows: Statement,
    ...columns: Buffer[]
  ): Promise<{ shifts: Map<number, ObjectShifts>; rows: Row[] }> {
    const objects = int8Array(of.map(({ object }) => object))
    const [shifted, read] = await Promise.all([
      query<ShiftOfObject>(SHIFTS_OF, [organization, objects]),
      query<Row>(rows, [organization, objects, ...columns]),
    ])
    return { shifts: shiftsByObject(shifted), rows: read }
  }

  async function positionsIn(part: readonly PositionName[]): Promise<(Uint8Array | null)[]> {
    const times = int8Array(part.map(({ time }) => time))
    const { shifts, rows } = await withShifts<FoundRow>(part, FOUND, times)
    const found: (Uint8Array | null)[] = Array(part.length).fill(null)
    for (const row of rows) {
      found[row.place - 1] = shownRecord(row, shifts.get(row.object) ?? NO_SHIFTS)
    }
    return found
  }

  async function newestOf(part: readonly ({ object: number } & TimeRange)[]) {
    const ranges = [int8Array(part.map(({ from }) => from)), int8Array(part.map(({ to }) => to))]
    type Row = Omit<FoundRow, 'place'>
    const { shifts, rows } = await withShifts<Row>(part, NEWEST_OF_EACH, ...ranges)
    return rows.map((row) => newestPosition(row, shifts.get(row.object) ?? NO_SHIFTS))
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
    positions: (wanted) => inParts(wanted, SLICE_ROWS, positionsIn),
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
    newest: (objects, { from, to }) =>
      inParts(objects, SLICE_ROWS, (part) =>
        query<PositionName>(NEWEST_SHOWN, [organization, int8Array(part), from, to]),
      ),
    newestIn: (wanted) => inParts(wanted, SLICE_ROWS, newestOf),
    earlierTrips: (object, from, tripsSince) =>
      runAwaiting(earlierTrips(tripReader(object), from, tripsSince)),
  }
}
