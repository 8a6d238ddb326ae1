import type { Fix } from '../../domain/fix.ts'
import { HOUR_MS, MICRO, readCounters, unpackFix, writeFix } from '../../domain/fix-record.ts'
import type { Counters, Step } from '../../domain/track.ts'
import { type RowTrack, unpackTrack } from '../../domain/track-record.ts'
import type { ObjectShifts } from './object-shifts.ts'

/** The owner of positions, and the shifts that apply to their stored counters. */
export type Owned = { organization: number; object: number; shifts: ObjectShifts }

/** A stored position with its counters as answers show them. */
export type StoredPosition = {
  fix: Fix
  counters: Counters
  /** Null if the position was stored before tracks existed. */
  row: RowTrack | null
  track: Uint8Array | null
} & Visibility

/** The number of the change that first showed a position, and of the one that hid it. */
export type Visibility = { change: number; hidden: number | null }

/** A row of the table. `domain/fix-record.ts` and `domain/track-record.ts` describe the bytes. */
export type PositionRow = { fix: Uint8Array; track: Uint8Array | null } & Visibility

export function readPosition({ shifts }: Owned, row: PositionRow): StoredPosition {
  const record = Buffer.from(row.fix.buffer, row.fix.byteOffset, row.fix.byteLength)
  const fix = unpackFix(record)
  const stored = readCounters(record)
  const { change, hidden } = row
  if (row.track === null) {
    // Such a record holds the device's own counters.
    fix.odometer = stored.odometer === null ? null : stored.odometer / MICRO
    fix.engineHours = stored.engineHours === null ? null : stored.engineHours / HOUR_MS
    return { fix, counters: stored, row: null, track: null, change, hidden }
  }
  const unpacked = unpackTrack(row.track, fix.timeDevice)
  fix.odometer = unpacked.odometer
  fix.engineHours = unpacked.engineHours
  const counters = shifts.shown(stored, fix.timeDevice, unpacked.tripFrom)
  return { fix, counters, row: unpacked, track: row.track, change, hidden }
}

/** Writes the record of a fix at the beginning of a buffer. Returns its length. */
export function writePosition(out: Buffer, { shifts }: Owned, fix: Fix, { track }: Step): number {
  return writeFix(out, fix, shifts.stored(track, fix.timeDevice, track.tripFrom))
}

/** A position that stays shown, or stays hidden, keeps the number of the change that made it so. */
export function visibilityAfter(
  existing: Visibility | null,
  step: Step,
  change: number,
): Visibility {
  if (existing === null) return { change, hidden: step.hidden ? change : null }
  const { hidden } = existing
  if ((hidden !== null) === step.hidden) return { change: existing.change, hidden }
  return step.hidden ? { change: existing.change, hidden: change } : { change, hidden: null }
}
