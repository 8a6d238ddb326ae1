import type { DatabaseSync } from 'node:sqlite'
import { takeTurn } from '../../domain/common/slots.ts'
import { FIX_RECORD } from '../../domain/position/fix-record.ts'
import { LAST_TIME, type TimeRange } from '../../domain/time/time.ts'
import type { NewestPosition, PositionName } from '../../store/change-log.ts'
import { storedRows } from '../../store/positions/merged-rows.ts'
import { BEGINNING } from '../../store/positions/packing.ts'
import { blockAt, blocksOf } from '../../store/positions/position-tables.ts'
import {
  findRecords,
  newestShown,
  type StoredBlock,
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
import type { Sql } from '../../store/tables/sql.ts'
import { NO_SHIFTS, type ShiftOfObject, shiftsByObject } from '../../tracking/object-shifts.ts'
import { atHand, runAtOnce } from '../../tracking/work.ts'
import { sqlOf } from '../tables.ts'
import { shiftReader } from './fold-tables.ts'
import { tablesOf } from './position-form.ts'
import { type ReadStretch, stretchReader } from './stretch-reader.ts'

/** The positions that answers show now, as fix records with all shifts. For a transaction of a reader. */
export type ShownPositions = {
  /** The fix record of each position of the table; null for one that is not shown, or in a block. */
  find(organization: number, wanted: readonly PositionName[]): (Uint8Array | null)[]
  /** Adds those that are in blocks to what `find` has found. Each block is read once, and others run in between. */
  addPacked(
    organization: number,
    wanted: readonly PositionName[],
    found: (Uint8Array | null)[],
  ): Promise<void>
  /** The next rows with `after < time_device <= to`, at most `limit`. */
  range(organization: number, object: number, after: number, to: number, limit: number): ReadStretch
  /** See `ChangeView.newestIn`. */
  newestIn(
    organization: number,
    wanted: readonly ({ object: number } & TimeRange)[],
  ): NewestPosition[]
  /** See `ChangeView.newest`. */
  newest(organization: number, objects: readonly number[], range: TimeRange): PositionName[]
  /** See `ChangeView.earlierTrips`. */
  earlierTrips(
    organization: number,
    object: number,
    from: number,
    tripsSince: number | null,
  ): TimeRange[]
}

export function shownPositions(reader: DatabaseSync): ShownPositions {
  const sql = sqlOf(reader)
  const { readRows } = stretchReader(reader, (work) => work())
  const isMarked = reader.prepare('SELECT 1 FROM refolds WHERE organization = ?1 AND object = ?2')

  return {
    ...namedPositions(reader, sql),
    ...newestPositions(reader, sql),
    range: (organization, object, after, to, limit) =>
      readRows({ organization, object, after, to, asOf: NOW }, limit),
    earlierTrips: (organization, object, from, tripsSince) =>
      runAtOnce(earlierTrips(tripReader(organization, object), from, tripsSince)),
  }

  function tripReader(organization: number, object: number): TripReader {
    const { rows: table, blocks } = tablesOf(sql, organization, object)
    const rows = storedRows(table, blocks)
    return {
      isMarked: () => atHand(isMarked.get(organization, object) !== undefined),
      since: (time, limit) => rows.first({ after: time - 1, to: LAST_TIME }, limit),
      *newest() {
        return (yield* rows.last({ after: BEGINNING, to: LAST_TIME }, 1))[0]?.time ?? null
      },
    }
  }
}

/** Positions by object and time. */
function namedPositions(
  reader: DatabaseSync,
  sql: Sql,
): Pick<ShownPositions, 'find' | 'addPacked'> {
  const found = reader.prepare(`
    SELECT CAST(group_concat(fix, '') AS BLOB) AS records, group_concat(place) AS places
    FROM (
      SELECT fix, wanted.key AS place FROM json_each(?2) AS wanted
      CROSS JOIN positions ON organization = ?1
        AND object = wanted.value ->> 0 AND time_device = wanted.value ->> 1
      WHERE hidden IS NULL ORDER BY wanted.key
    )
  `)
  const shiftRecords = recordShifter(reader)
  const shiftsOf = shiftReader(reader)

  return {
    find(organization, wanted) {
      const records = findJoined(organization, wanted)
      shiftRecords(organization, wanted, records)
      return records
    },
    async addPacked(organization, wanted, records) {
      const names = wanted
        .map((name, place): PlacedName => ({ ...name, place }))
        .filter(({ place }) => records[place] === null)
        .sort((a, b) => a.object - b.object || a.time - b.time)
      for (let [at, reads] = [0, 1]; at < names.length; reads += 1) {
        const { object, time } = names[at]!
        const block = runAtOnce(blockAt(sql, organization, object, time))
        const from = at
        at += 1
        while (block !== null && isIn(block, names[at])) at += 1
        if (block !== null) addRows(organization, block, names.slice(from, at), records)
        if (reads % BLOCKS_AT_ONCE === 0) await takeTurn()
      }
    },
  }

  /** Puts the shown ones of some positions of a block at their places. */
  function addRows(
    organization: number,
    block: StoredBlock,
    names: readonly PlacedName[],
    records: (Uint8Array | null)[],
  ): void {
    const times = names.map(({ time }) => time)
    const found = findRecords(block, times, shiftsOf(organization, block.object))
    for (const [at, { place }] of names.entries()) records[place] = found[at]!
  }

  /** One value for all records costs half of a value for each. */
  function findJoined(
    organization: number,
    wanted: readonly PositionName[],
  ): (Uint8Array | null)[] {
    const names = JSON.stringify(wanted.map(({ object, time }) => [object, time]))
    const { records, places } = found.get(organization, names) as FoundRecords
    const all: (Uint8Array | null)[] = Array(wanted.length).fill(null)
    if (records === null) return all
    const block = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
    let from = 0
    for (const place of places!.split(',')) {
      const to = from + block.readUInt16LE(from + FIX_RECORD.length)
      all[Number(place)] = block.subarray(from, to)
      from = to
    }
    return all
  }
}

/** Applies the shifts to the records that they concern. */
function recordShifter(reader: DatabaseSync) {
  const tracks = reader.prepare(`
    SELECT wanted.value ->> 2 AS place, track FROM json_each(?2) AS wanted
    CROSS JOIN positions ON organization = ?1
      AND object = wanted.value ->> 0 AND time_device = wanted.value ->> 1
  `)
  const shiftsAmong = shiftsOfSeveral(reader)

  return (
    organization: number,
    wanted: readonly PositionName[],
    records: readonly (Uint8Array | null)[],
  ): void => {
    const shifts = shiftsAmong(organization, wanted)
    if (shifts.size === 0) return
    const shifted = wanted.flatMap(({ object, time }, place) => {
      const first = shifts.get(object)?.all[0]?.from
      const isShifted = records[place] !== null && first !== undefined && first <= time
      return isShifted ? [[object, time, place]] : []
    })
    const read = tracks.all(organization, JSON.stringify(shifted)) as TrackOfPlace[]
    for (const { place, track } of read) {
      const { object, time } = wanted[place]!
      shownRecord({ time, fix: records[place]!, track }, shifts.get(object)!)
    }
  }
}

/** The newest positions of objects in ranges of time. */
function newestPositions(
  reader: DatabaseSync,
  sql: Sql,
): Pick<ShownPositions, 'newestIn' | 'newest'> {
  const newestInTable = reader.prepare(`
    SELECT wanted.value AS object, (
      SELECT time_device FROM positions
      WHERE organization = ?1 AND object = wanted.value
        AND time_device BETWEEN ?3 AND ?4 AND hidden IS NULL
      ORDER BY time_device DESC LIMIT 1
    ) AS time
    FROM json_each(?2) AS wanted
  `)
  const newestOfEach = reader.prepare(`
    SELECT object, time_device AS time, fix, track FROM json_each(?2) AS wanted
    CROSS JOIN positions ON organization = ?1 AND object = wanted.value ->> 0 AND time_device = (
      SELECT max(time_device) FROM positions WHERE organization = ?1
        AND object = wanted.value ->> 0
        AND time_device BETWEEN wanted.value ->> 1 AND wanted.value ->> 2
    )
  `)
  const shiftsAmong = shiftsOfSeveral(reader)

  return {
    newestIn(organization, wanted) {
      const ranges = JSON.stringify(wanted.map(({ object, from, to }) => [object, from, to]))
      const found = newestOfEach.all(organization, ranges) as NewestRow[]
      const rows = new Map(found.map((row) => [row.object, row]))
      for (const { object, from, to } of wanted) {
        const after = rows.get(object)?.time ?? from - 1
        const block = runAtOnce(blocksOf(sql, organization, object).previous({ after, to }))
        const packed = block === null ? undefined : unpackRows(block, { after, to }, -1)[0]
        if (packed !== undefined) rows.set(object, { ...packed, object })
      }
      const shifts = shiftsAmong(organization, wanted)
      return Array.from(rows.values(), (row) =>
        newestPosition(row, shifts.get(row.object) ?? NO_SHIFTS),
      )
    },
    newest(organization, objects, { from, to }) {
      const listed = JSON.stringify(objects)
      const found = newestInTable.all(organization, listed, from, to) as NewestShown[]
      return found.flatMap(({ object, time }) => {
        const after = time ?? from - 1
        const newest = newestPacked(organization, object, { after, to }) ?? time
        return newest === null ? [] : [{ object, time: newest }]
      })
    },
  }

  /** The time of the newest shown position in the blocks of a stretch. */
  function newestPacked(organization: number, object: number, stretch: Stretch): number | null {
    for (let { to } = stretch; ; ) {
      const block = runAtOnce(blocksOf(sql, organization, object).previous({ ...stretch, to }))
      if (block === null) return null
      const newest = block.shown === 0 ? null : newestShown(block, { ...stretch, to })
      if (newest !== null) return newest
      to = block.first - 1
    }
  }
}

/** The shifts of the objects that have any. Most have none. */
function shiftsOfSeveral(reader: DatabaseSync) {
  const shifts = reader.prepare(`
    SELECT object, from_time AS "from", odometer, engine_hours AS engineHours
    FROM json_each(?2) AS wanted
    CROSS JOIN counter_shifts ON organization = ?1 AND object = wanted.value
    ORDER BY object, from_time
  `)
  return (organization: number, wanted: readonly { object: number }[]) => {
    const objects = JSON.stringify([...new Set(wanted.map(({ object }) => object))])
    return shiftsByObject(shifts.all(organization, objects) as ShiftOfObject[])
  }
}

type NewestRow = ShownRow & { object: number; track: Uint8Array }

/** Whether the block has a later position of the same order. */
function isIn(block: StoredBlock, name: PositionName | undefined): boolean {
  return name !== undefined && name.object === block.object && name.time <= block.last
}

/** A position with its place among those that are wanted. */
type PlacedName = PositionName & { place: number }
type NewestShown = { object: number; time: number | null }
type TrackOfPlace = { place: number; track: Uint8Array }
type FoundRecords = { records: Uint8Array | null; places: string | null }

/** Blocks whose rows are read before others have their turn: some milliseconds. */
const BLOCKS_AT_ONCE = 20

/** A number above every change: shows each row that is not hidden when it is read. */
const NOW = Number.MAX_SAFE_INTEGER
