import type { DatabaseSync } from 'node:sqlite'
import { FIX_RECORD } from '../../../domain/position/fix-record.ts'
import type { TimeRange } from '../../../domain/time/time-range.ts'
import { NO_SHIFTS, type ShiftOfObject, shiftsByObject } from '../../../tracking/object-shifts.ts'
import { atHand, runAtOnce } from '../../../tracking/work.ts'
import type { NewestPosition, PositionName } from '../../change-log.ts'
import { earlierTrips, type TripReader, type TripRow } from '../../earlier-trips.ts'
import { newestPosition, type ShownRow, shownRecord } from '../../shown-record.ts'
import { shiftReader } from './fold-tables.ts'

/** The positions that answers show now, as fix records with all shifts. For a transaction of a reader. */
export type ShownPositions = {
  /** The fix record of each position; null for one that is not shown. */
  find(organization: number, wanted: readonly PositionName[]): (Uint8Array | null)[]
  /**
   * The positions with `after < time_device <= to` among the first `limit` stored ones. `passed`: how many
   * were read, hidden ones too; `last`: the time of the last of them.
   */
  range(
    organization: number,
    object: number,
    after: number,
    to: number,
    limit: number,
  ): { records: Uint8Array; shown: number; passed: number; last: number }
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
  const shiftsOf = shiftReader(reader)
  const whose = 'WHERE organization = ?1 AND object = ?2'
  const shifts = reader.prepare(`
    SELECT object, from_time AS "from", odometer, engine_hours AS engineHours
    FROM json_each(?2) AS wanted
    CROSS JOIN counter_shifts ON organization = ?1 AND object = wanted.value
    ORDER BY object, from_time
  `)
  const tracks = reader.prepare(`
    SELECT wanted.value ->> 2 AS place, track FROM json_each(?2) AS wanted
    CROSS JOIN positions ON organization = ?1
      AND object = wanted.value ->> 0 AND time_device = wanted.value ->> 1
  `)
  const found = reader.prepare(`
    SELECT CAST(group_concat(fix, '') AS BLOB) AS records, group_concat(place) AS places
    FROM (
      SELECT fix, wanted.key AS place FROM json_each(?2) AS wanted
      CROSS JOIN positions ON organization = ?1
        AND object = wanted.value ->> 0 AND time_device = wanted.value ->> 1
      WHERE hidden IS NULL ORDER BY wanted.key
    )
  `)
  const joined = reader.prepare(`
    SELECT CAST(group_concat(fix, '') FILTER (WHERE hidden IS NULL) AS BLOB) AS records,
      count(*) FILTER (WHERE hidden IS NULL) AS shown, count(*) AS passed, max(time_device) AS last,
      EXISTS (SELECT 1 FROM counter_shifts ${whose}) AS shifted
    FROM (
      SELECT time_device, hidden, fix FROM positions
      ${whose} AND time_device > ?3 AND time_device <= ?4 ORDER BY time_device LIMIT ?5
    )
  `)
  const single = reader.prepare(`
    SELECT time_device AS time, fix, track FROM positions
    ${whose} AND time_device > ?3 AND time_device <= ?4 AND hidden IS NULL ORDER BY time_device
  `)
  const since = reader.prepare(`
    SELECT time_device AS time, track FROM positions
    ${whose} AND time_device >= ?3 ORDER BY time_device LIMIT ?4
  `)
  const newest = reader.prepare(`SELECT max(time_device) AS time FROM positions ${whose}`)
  const newestShown = reader.prepare(`
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
  const isMarked = reader.prepare(`SELECT 1 FROM refolds ${whose}`)

  return {
    find(organization, wanted) {
      const records = findJoined(organization, wanted)
      shiftRecords(organization, wanted, records)
      return records
    },
    range(organization, object, after, to, limit) {
      const block = joined.get(organization, object, after, to, limit) as unknown as Joined
      const { records, shown, passed, last, shifted } = block
      if (records === null || shifted === 0) {
        return { records: records ?? Buffer.alloc(0), shown, passed, last }
      }
      const shifts = shiftsOf(organization, object)
      const rows = single.all(organization, object, after, last) as ShownRow[]
      return {
        records: Buffer.concat(rows.map((row) => shownRecord(row, shifts))),
        shown,
        passed,
        last,
      }
    },
    newestIn(organization, wanted) {
      const ranges = JSON.stringify(wanted.map(({ object, from, to }) => [object, from, to]))
      const rows = newestOfEach.all(organization, ranges) as NewestRow[]
      const shifts = shiftsAmong(organization, wanted)
      return rows.map((row) => newestPosition(row, shifts.get(row.object) ?? NO_SHIFTS))
    },
    newest(organization, objects, { from, to }) {
      const listed = JSON.stringify(objects)
      const found = newestShown.all(organization, listed, from, to) as unknown as PositionName[]
      return found.filter(({ time }) => time !== null)
    },
    earlierTrips: (organization, object, from, tripsSince) =>
      runAtOnce(earlierTrips(tripReader(organization, object), from, tripsSince)),
  }

  /** The shifts of the objects that have any. Most have none. */
  function shiftsAmong(organization: number, wanted: readonly { object: number }[]) {
    const objects = JSON.stringify([...new Set(wanted.map(({ object }) => object))])
    return shiftsByObject(shifts.all(organization, objects) as ShiftOfObject[])
  }

  /** Applies the shifts to the records that they concern. */
  function shiftRecords(
    organization: number,
    wanted: readonly PositionName[],
    records: readonly (Uint8Array | null)[],
  ): void {
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

  function tripReader(organization: number, object: number): TripReader {
    return {
      isMarked: () => atHand(isMarked.get(organization, object) !== undefined),
      since: (time, limit) =>
        atHand(since.all(organization, object, time, limit) as unknown as TripRow[]),
      newest: () => atHand(newest.get(organization, object)!.time as number | null),
    }
  }
}

type NewestRow = ShownRow & { object: number; track: Uint8Array }
type TrackOfPlace = { place: number; track: Uint8Array }
type FoundRecords = { records: Uint8Array | null; places: string | null }

type Joined = {
  records: Uint8Array | null
  shown: number
  passed: number
  last: number
  shifted: number
}
