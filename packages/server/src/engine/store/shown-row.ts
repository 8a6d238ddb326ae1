import { readCounters, writeCounters } from '../../base/domain/position/fix-record.ts'
import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { ObjectShifts } from '../tracking/object-shifts.ts'
import { unpackRowFold } from '../tracking/stored-position.ts'
import type { Work } from '../tracking/work.ts'
import type { NewestPosition } from './change-log.ts'

/** A row of the positions as its record and the packed fold state. `track` is null if it was not read: no shift applies. */
export type ShownRow = { time: number; fix: Uint8Array; track: Uint8Array | null }

/** The fix record of a position with the shifts that apply to it. Writes to the memory of the row. */
export function shownRecord({ time, fix, track }: ShownRow, shifts: ObjectShifts): Uint8Array {
  if (track === null || shifts.all.length === 0) return fix
  const record = Buffer.from(fix.buffer, fix.byteOffset, fix.byteLength)
  const { tripFrom } = unpackRowFold(track, time)
  writeCounters(record, shifts.shown(readCounters(record), time, tripFrom))
  return record
}

/** See `ChangeView.newestIn`. */
export function newestPosition(
  row: ShownRow & { object: number; track: Uint8Array },
  shifts: ObjectShifts,
): NewestPosition {
  const { object, time, track } = row
  const { motion, lastAt, shownAt } = unpackRowFold(track, time)
  return { object, record: shownRecord(row, shifts), motion, believedAt: lastAt, shownAt }
}

/** Positions that are read at once of an object that waits for a fold. */
const SLICE_POSITIONS = 5_000

/** A position, hidden or not, with its packed fold state. */
type TripRow = { time: number; track: Uint8Array }

/** The reads of one object's positions within a view. */
export type TripReader = {
  /** Whether the object waits for a fold. */
  isMarked(): Work<boolean>
  /** The first positions from a time on, at most `limit`. */
  since(time: number, limit: number): Work<TripRow[]>
  /** The time of the newest position. Null if there is none. */
  newest(): Work<number | null>
}

/** See `ChangeView.earlierTrips`. */
export function* earlierTrips(
  reader: TripReader,
  from: number,
  tripsSince: number | null,
): Work<TimeRange[]> {
  if (yield* reader.isMarked()) return yield* mixedTrips(reader, from, tripsSince)
  const [first] = yield* reader.since(from, 1)
  if (first === undefined || !isIn(first, from, tripsSince)) return []
  const next = yield* firstOfLaterTrip(reader, from)
  return [{ from, to: next === null ? LAST_TIME : next - 1 }]
}

/** Trips follow each other, so a search by halves finds the time. */
function* firstOfLaterTrip(reader: TripReader, from: number): Work<number | null> {
  let [low, high] = [from, ((yield* reader.newest()) ?? from - 1) + 1]
  let found: number | null = null
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = yield* reader.since(middle, 1)
    if (row !== undefined && (tripOf(row) ?? -1) < from) {
      low = row.time + 1
    } else {
      found = row?.time ?? found
      high = middle
    }
  }
  return found
}

/** Trips that were folded again and those that were not do not follow each other. */
function* mixedTrips(
  reader: TripReader,
  from: number,
  tripsSince: number | null,
): Work<TimeRange[]> {
  const ranges: TimeRange[] = []
  let isOpen = false
  for (let next = from; ; ) {
    const rows = yield* reader.since(next, SLICE_POSITIONS)
    for (const row of rows) {
      const isNowIn = isIn(row, from, tripsSince)
      if (isNowIn && !isOpen) ranges.push({ from: row.time, to: LAST_TIME })
      if (!isNowIn && isOpen) ranges.at(-1)!.to = row.time - 1
      isOpen = isNowIn
    }
    if (rows.length < SLICE_POSITIONS) return ranges
    next = rows.at(-1)!.time + 1
  }
}

/** Whether the trip of a position began before `from`, and not before `tripsSince`. */
function isIn(row: TripRow, from: number, tripsSince: number | null): boolean {
  const began = tripOf(row)
  if (began === null) return tripsSince === null
  return began < from && (tripsSince === null || began >= tripsSince)
}

function tripOf({ time, track }: TripRow): number | null {
  return unpackRowFold(track, time).tripFrom
}
