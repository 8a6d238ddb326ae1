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
} & Visibility

/** The changes since which histories show a position, and since which they do no more. */
export type Visibility = { change: number; hidden: number | null }

/** As it lies in its table: `domain/fix-record.ts`, `domain/track-record.ts`. */
export type PositionRow = { fix: Uint8Array; track: Uint8Array | null } & Visibility

export function readPosition({ shifts }: Owned, row: PositionRow): StoredPosition {
  const record = Buffer.from(row.fix.buffer, row.fix.byteOffset, row.fix.byteLength)
  const fix = unpackFix(record)
  const stored = readCounters(record)
  const { change, hidden } = row
  if (row.track === null) {
    // Then its counters are the device's own.
    fix.odometer = stored.odometer === null ? null : stored.odometer / MICRO
    fix.engineHours = stored.engineHours === null ? null : stored.engineHours / HOUR_MS
    return { fix, counters: stored, row: null, track: null, change, hidden }
  }
  const told = unpackTrack(row.track, fix.timeDevice)
  fix.odometer = told.odometer
  fix.engineHours = told.engineHours
  const counters = shifts.shown(stored, fix.timeDevice, told.tripFrom)
  return { fix, counters, row: told, track: row.track, change, hidden }
}

/** Writes the record of a fix at the beginning of a buffer; returns its length. */
export function writePosition(out: Buffer, { shifts }: Owned, fix: Fix, { track }: Step): number {
  return writeFix(out, fix, shifts.stored(track, fix.timeDevice, track.tripFrom))
}

/** What was shown or hidden before, and still is, has been so since that time. */
export function visibilityAfter(
  standing: Visibility | null,
  step: Step,
  change: number,
): Visibility {
  if (standing === null) return { change, hidden: step.hidden ? change : null }
  const { hidden } = standing
  if ((hidden !== null) === step.hidden) return { change: standing.change, hidden }
  return step.hidden ? { change: standing.change, hidden: change } : { change, hidden: null }
}
