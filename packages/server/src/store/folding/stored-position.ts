import type { Fix } from '../../domain/fix.ts'
import { HOUR_MS, MICRO, readCounters, unpackFix, writeFix } from '../../domain/fix-record.ts'
import type { Counters, Step } from '../../domain/track.ts'
import { type RowTrack, unpackTrack } from '../../domain/track-record.ts'
import type { ObjectShifts } from './object-shifts.ts'

/** Whose positions, and what applies to the counters that they store. */
export type Owned = { organization: number; object: number; shifts: ObjectShifts }

/** A position as it stands, its counters as they are shown. */
export type StoredPosition = {
  fix: Fix
  counters: Counters
  /** Null where it was stored before there was a fold. */
  row: RowTrack | null
  track: Uint8Array | null
  hidden: boolean
}

/** As it lies in its table: `domain/fix-record.ts`, `domain/track-record.ts`, and since which change it is hidden. */
export type PositionRow = { fix: Uint8Array; track: Uint8Array | null; hidden: number | null }

export function readPosition({ shifts }: Owned, row: PositionRow): StoredPosition {
  const record = Buffer.from(row.fix.buffer, row.fix.byteOffset, row.fix.byteLength)
  const fix = unpackFix(record)
  const stored = readCounters(record)
  const hidden = row.hidden !== null
  if (row.track === null) {
    // Then its counters are the device's own.
    fix.odometer = stored.odometer === null ? null : stored.odometer / MICRO
    fix.engineHours = stored.engineHours === null ? null : stored.engineHours / HOUR_MS
    return { fix, counters: stored, row: null, track: null, hidden }
  }
  const told = unpackTrack(row.track, fix.timeDevice)
  fix.odometer = told.odometer
  fix.engineHours = told.engineHours
  const counters = shifts.shown(stored, fix.timeDevice, told.tripFrom)
  return { fix, counters, row: told, track: row.track, hidden }
}

/** Writes the record of a fix at the beginning of a buffer; returns its length. */
export function writePosition(out: Buffer, { shifts }: Owned, fix: Fix, { track }: Step): number {
  return writeFix(out, fix, shifts.stored(track, fix.timeDevice, track.tripFrom))
}
