import {
  COORDINATE_SCALE,
  FIX_FLAG,
  FIX_RECORD,
  MICRO,
  readCounters,
} from '../domain/position/fix-record.ts'
import type { Motion } from '../domain/position/fold-state.ts'
import { believedSpeed } from './rules/advance.ts'
import { type Owned, type PositionRow, unpackRowFold } from './stored-position.ts'

/**
 * A stored position as the derivation of records reads it, hidden ones too. Counters include the shifts of
 * the object.
 */
export type TrackRow = {
  readonly time: number
  readonly latitude: number
  readonly longitude: number
  /** km/h. Null if it is missing or cannot be believed. */
  readonly speed: number | null
  readonly motion: Motion | null
  readonly isSuspect: boolean
  /** Whether the history shows it. */
  readonly isShown: boolean
  /** Whether the object moved here in the sense of a trip. */
  readonly isActive: boolean
  /** Whether distance up to here is still to be counted. */
  readonly hasMoved: boolean
  /** mm. */
  readonly odometer: number | null
  /** ms. */
  readonly engineHours: number | null
  /** The address that it brought. */
  readonly address: string | null
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads only the fields that a derivation needs, because it may read millions of rows. */
export function readTrackRow({ shifts }: Owned, { fix, track, hidden }: PositionRow): TrackRow {
  const record = Buffer.from(fix.buffer, fix.byteOffset, fix.byteLength)
  const flags = record.readUInt16LE(FIX_RECORD.flags)
  const time = record.readUIntLE(FIX_RECORD.timeDevice, 6)
  const stored = readCounters(record)
  const rowFold = track === null ? null : unpackRowFold(track, time)
  // A position without a fold state holds the device's own counters.
  const counters = rowFold === null ? stored : shifts.shown(stored, time, rowFold.tripFrom)
  return {
    time,
    latitude: record.readInt32LE(FIX_RECORD.latitude) / COORDINATE_SCALE,
    longitude: record.readInt32LE(FIX_RECORD.longitude) / COORDINATE_SCALE,
    speed: believedSpeed({
      speed: (flags & FIX_FLAG.speed) === 0 ? null : record.readUInt32LE(FIX_RECORD.speed) / MICRO,
    }),
    motion: rowFold?.motion ?? null,
    isSuspect: rowFold?.suspect ?? false,
    isShown: hidden === null,
    isActive: rowFold !== null && rowFold.activeAt === time,
    hasMoved: rowFold?.moved ?? false,
    odometer: counters.odometer,
    engineHours: counters.engineHours,
    address:
      (flags & FIX_FLAG.address) === 0
        ? null
        : utf8.decode(record.subarray(FIX_RECORD.address, record.readUInt16LE(FIX_RECORD.length))),
  }
}
