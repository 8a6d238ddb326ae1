import { readCounters, writeCounters } from '../domain/position/fix-record.ts'
import type { ObjectShifts } from '../tracking/object-shifts.ts'
import { unpackRowFold } from '../tracking/stored-position.ts'
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
