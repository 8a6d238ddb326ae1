import {
  addressEnd,
  COORDINATE_SCALE,
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  flagsAt,
  MICRO,
  unknownVersion,
} from '../domain/position/fix-record.ts'
import {
  MOTION_BITS,
  MOTIONS,
  type Motion,
  SILENCES,
  type Silence,
} from '../domain/position/fold-state.ts'
import type { Shift } from './object-shifts.ts'
import { believedSpeed } from './rules/believed-speed.ts'
import { FLAG, SILENCE_BIT, SILENCE_BITS } from './stored-position.ts'

/**
 * A stored position, hidden ones too, as the derivation of records and the reports read it. Counters include the
 * shifts of the object.
 */
export type TrackRow = {
  readonly time: number
  readonly latitude: number
  readonly longitude: number
  /** km/h. Null if it is missing or cannot be believed, or if it is the noise of a parked device. */
  readonly speed: number | null
  readonly motion: Motion | null
  readonly isSuspect: boolean
  /** The silences that it ended. Null: none. */
  readonly silence: Silence | null
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
  /** Where the record with its attributes ends (`attribute-section.ts`). Null: it has none. */
  readonly attributes: { readonly bytes: Uint8Array; readonly end: number } | null
}

/** The bytes before each row of a block: whether answers show it, and the length of its fold state. */
const ROW_HEAD = { shown: 0, trackLength: 1 } as const
const ROW_HEAD_BYTES = 2

/**
 * Reads a block of rows of one object, in the order of their times: two bytes, the fix record and the packed
 * fold state of each. Adds the shifts of the object. One value of the store for many rows, and no fix or
 * fold state as an object, make this several times as fast as reading row by row.
 */
export function readTrackRows(block: Uint8Array, shifts: readonly Shift[]): TrackRow[] {
  const rows: TrackRow[] = []
  const sum = { next: 0, odometer: 0, engineHours: 0 }
  for (let at = 0; at < block.length; ) {
    const fix = at + ROW_HEAD_BYTES
    if (block[fix + FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
    const track = recordEnd(block, fix)
    const trackLength = block[at + ROW_HEAD.trackLength]!
    const time = uint48(block, fix + FIX_RECORD.timeDevice)
    for (let shift = shifts[sum.next]; shift !== undefined && shift.from <= time; ) {
      sum.odometer += shift.odometer
      sum.engineHours += shift.engineHours
      sum.next += 1
      shift = shifts[sum.next]
    }
    rows.push(rowOf(block, at, time, uint24(block, track), sum))
    at = track + trackLength
  }
  return rows
}

function rowOf(
  block: Uint8Array,
  at: number,
  time: number,
  state: number,
  shift: { odometer: number; engineHours: number },
): TrackRow {
  const fix = at + ROW_HEAD_BYTES
  const flags = block[fix + FIX_RECORD.flags]! + block[fix + FIX_RECORD.flags + 1]! * 0x100
  return {
    time,
    latitude: int32(block, fix + FIX_RECORD.latitude) / COORDINATE_SCALE,
    longitude: int32(block, fix + FIX_RECORD.longitude) / COORDINATE_SCALE,
    speed: believedSpeed({
      speed:
        (flags & FIX_FLAG.speed) === 0 || (state & FLAG.doubted) !== 0
          ? null
          : (int32(block, fix + FIX_RECORD.speed) >>> 0) / MICRO,
    }),
    motion: MOTIONS[state & MOTION_BITS]!,
    isSuspect: (state & FLAG.suspect) !== 0,
    silence: SILENCES[(state >>> SILENCE_BIT) & SILENCE_BITS]!,
    isShown: block[at + ROW_HEAD.shown] === 1,
    isActive: (state & FLAG.active) !== 0,
    hasMoved: (state & FLAG.moved) !== 0,
    odometer:
      (flags & FIX_FLAG.odometer) === 0
        ? null
        : counter(block, fix + FIX_RECORD.odometer, shift.odometer),
    engineHours:
      (flags & FIX_FLAG.engineHours) === 0
        ? null
        : counter(block, fix + FIX_RECORD.engineHours, shift.engineHours),
    address: (flags & FIX_FLAG.address) === 0 ? null : addressOf(block, fix),
    attributes: attributesOf(block, fix),
  }
}

/** As `objectShifts` shows it: a sum is below zero only while a fold is unfinished. */
function counter(block: Uint8Array, at: number, shift: number): number {
  return Math.max(0, uint48(block, at) + shift)
}

function addressOf(block: Uint8Array, fix: number): string {
  const end = recordEnd(block, fix)
  const start = fix + block[fix + FIX_RECORD.addressAt]!
  const to = addressEnd(block, end, flagsAt(block, fix))
  return Buffer.from(block.buffer, block.byteOffset, to).toString('utf8', start)
}

function attributesOf(block: Uint8Array, fix: number): TrackRow['attributes'] {
  if ((flagsAt(block, fix) & FIX_FLAG.attributes) === 0) return null
  return { bytes: block, end: recordEnd(block, fix) }
}

function recordEnd(block: Uint8Array, fix: number): number {
  return fix + block[fix + FIX_RECORD.length]! + block[fix + FIX_RECORD.length + 1]! * 0x100
}

function uint24(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
}

function int32(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

function uint48(bytes: Uint8Array, at: number): number {
  const low = int32(bytes, at) >>> 0
  return low + (bytes[at + 4]! + bytes[at + 5]! * 0x100) * 2 ** 32
}
