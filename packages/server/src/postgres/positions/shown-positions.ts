import { LAST_TIME, type TimeRange } from '../../domain/time/time.ts'
import type { ChangeView, PositionName } from '../../store/change-log.ts'
import { firstRows, storedRows } from '../../store/positions/merged-rows.ts'
import { BEGINNING } from '../../store/positions/packing.ts'
import {
  findRecords,
  newestShown,
  type Stretch,
  unpackRows,
} from '../../store/positions/stored-blocks.ts'
import {
  earlierTrips,
  newestPosition,
  type ShownRow,
  shownRecord,
  type TripReader,
} from '../../store/shown-positions.ts'
import { inParts, inSlices } from '../../store/tables/sql.ts'
import {
  NO_SHIFTS,
  type ObjectShifts,
  objectShifts,
  type Shift,
  type ShiftOfObject,
  shiftsByObject,
} from '../../tracking/object-shifts.ts'
import { runAwaiting, waitFor } from '../../tracking/work.ts'
import { type Statement, statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { int8Array } from '../connection/given-rows.ts'
import { sqlOf } from '../tables.ts'
import { SHIFTS, SHIFTS_OF } from './object-states.ts'
import { blocksWith, previousBlocks } from './position-blocks.ts'
import { tablesOf } from './position-form.ts'

/** Rows of a range that one statement reads. */
const SLICE_ROWS = 2_000
/** The largest number of blocks that are looked up at once: some 20 ms. */
const SLICE_BLOCKS = 200

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
/** A position with its place among those that are wanted. */
type PlacedName = PositionName & { place: number }
type FoundRow = ShownRow & { place: number; object: number; track: Uint8Array }

/** The positions that answers show now. The calls are those of a view of an organization. */
export function shownPositions(
  connection: Connection,
  organization: number,
): Pick<ChangeView, 'positions' | 'range' | 'newest' | 'newestIn' | 'earlierTrips'> {
  const { query } = connection
  const tables = (object: number) => tablesOf(sqlOf(connection), organization, object)
  const shiftsOf = async (object: number) =>
    objectShifts(await query<Shift>(SHIFTS, [organization, object]))

  /** The shown rows of an object. */
  function rangeReader(object: number) {
    const table = {
      first: ({ after, to }: Stretch, limit: number) =>
        waitFor(query<ShownRow>(RANGE, [organization, object, after, to, limit])),
    }
    return firstRows<ShownRow>(table, tables(object).blocks, (block, stretch, limit) =>
      unpackRows(block, stretch)
        .filter(({ hidden }) => hidden === null)
        .slice(0, limit),
    )
  }

  function tripReader(object: number): TripReader {
    const { rows: table, blocks } = tables(object)
    const rows = storedRows(table, blocks)
    return {
      *isMarked() {
        return (yield* waitFor(query(IS_MARKED, [organization, object]))).length > 0
      },
      since: (time, limit) => rows.first({ after: time - 1, to: LAST_TIME }, limit),
      *newest() {
        return (yield* rows.last({ after: BEGINNING, to: LAST_TIME }, 1))[0]?.time ?? null
      },
    }
  }

  return {
    ...namedPositions({ query }, organization),
    ...newestPositions({ query }, organization),
    async range(object, after, to, limit) {
      const shifts = await shiftsOf(object)
      const first = rangeReader(object)
      const rows = await inSlices<ShownRow>(limit, SLICE_ROWS, (size, last) =>
        runAwaiting(first({ after: last?.time ?? after, to }, size)),
      )
      return Buffer.concat(rows.map((row) => shownRecord(row, shifts)))
    },
    earlierTrips: (object, from, tripsSince) =>
      runAwaiting(earlierTrips(tripReader(object), from, tripsSince)),
  }
}

/** Positions by object and time. */
function namedPositions(
  { query }: Pick<Connection, 'query'>,
  organization: number,
): Pick<ChangeView, 'positions'> {
  async function positionsIn(part: readonly PositionName[]): Promise<(Uint8Array | null)[]> {
    const times = int8Array(part.map(({ time }) => time))
    const { shifts, rows } = await withShifts<FoundRow>({ query }, organization, part, FOUND, times)
    const found: (Uint8Array | null)[] = Array(part.length).fill(null)
    for (const row of rows) {
      found[row.place - 1] = shownRecord(row, shifts.get(row.object) ?? NO_SHIFTS)
    }
    const missing = Array.from(part, (name, place) => ({ ...name, place })).filter(
      ({ place }) => found[place] === null,
    )
    missing.sort((one, other) => one.object - other.object || one.time - other.time)
    const packed = await inParts(missing, SLICE_BLOCKS, (names) => packedIn(names, shifts))
    for (const { place, record } of packed) found[place] = record
    return found
  }

  /** The positions among `wanted` that are in blocks and shown, by object and time. */
  async function packedIn(
    wanted: readonly PlacedName[],
    shifts: ReadonlyMap<number, ObjectShifts>,
  ): Promise<{ place: number; record: Uint8Array | null }[]> {
    const blocks = await blocksWith({ query }, organization, wanted)
    const ofObject = Map.groupBy(wanted, ({ object }) => object)
    return blocks.flatMap((block) => {
      const names = ofObject
        .get(block.object)!
        .filter(({ time }) => block.first <= time && time <= block.last)
      const times = names.map(({ time }) => time)
      const records = findRecords(block, times, shifts.get(block.object) ?? NO_SHIFTS)
      return names.map(({ place }, at) => ({ place, record: records[at]! }))
    })
  }

  return { positions: (wanted) => inParts(wanted, SLICE_ROWS, positionsIn) }
}

/** The newest positions of objects in ranges of time. */
function newestPositions(
  { query }: Pick<Connection, 'query'>,
  organization: number,
): Pick<ChangeView, 'newest' | 'newestIn'> {
  async function newestOf(part: readonly ({ object: number } & TimeRange)[]) {
    const ranges = [int8Array(part.map(({ from }) => from)), int8Array(part.map(({ to }) => to))]
    type Row = Omit<FoundRow, 'place'>
    const { shifts, rows } = await withShifts<Row>(
      { query },
      organization,
      part,
      NEWEST_OF_EACH,
      ...ranges,
    )
    const newest = new Map(rows.map((row) => [row.object, row]))
    const later = part.map(({ object, from, to }) => {
      return { object, after: newest.get(object)?.time ?? from - 1, to }
    })
    const stretches = new Map(later.map((stretch) => [stretch.object, stretch]))
    for (const block of await previousBlocks({ query }, organization, later)) {
      const { object } = block
      const row = unpackRows(block, stretches.get(object)!, -1)[0]
      if (row !== undefined) newest.set(object, { ...row, object })
    }
    return Array.from(newest.values(), (row) =>
      newestPosition(row, shifts.get(row.object) ?? NO_SHIFTS),
    )
  }

  async function newestShownOf(objects: readonly number[], { from, to }: TimeRange) {
    const values = [organization, int8Array(objects), from, to]
    const rows = await query<PositionName>(NEWEST_SHOWN, values)
    const newest = new Map(rows.map((row) => [row.object, row]))
    let pending = objects.map((object) => {
      return { object, after: newest.get(object)?.time ?? from - 1, to }
    })
    while (pending.length > 0) {
      const stretches = new Map(pending.map((stretch) => [stretch.object, stretch]))
      const blocks = await previousBlocks({ query }, organization, pending)
      pending = []
      for (const block of blocks) {
        const { object } = block
        const stretch = stretches.get(object)!
        const time = newestShown(block, stretch)
        if (time !== null) newest.set(object, { object, time })
        // All of it is hidden.
        else pending.push({ ...stretch, to: block.first - 1 })
      }
    }
    return newest.values()
  }

  return {
    newest: (objects, range) =>
      inParts(objects, SLICE_BLOCKS, (part) => newestShownOf(part, range)),
    newestIn: (wanted) => inParts(wanted, SLICE_BLOCKS, newestOf),
  }
}

/** Rows of some objects, with the shifts of these objects. */
async function withShifts<Row extends object>(
  { query }: Pick<Connection, 'query'>,
  organization: number,
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
