import { int32At, uint24At, uint48At } from '../../base/domain/common/packed-numbers.ts'
import { readSection, type TakeEntry } from '../../base/domain/position/attribute-section.ts'
import {
  addressEnd,
  COORDINATE_SCALE,
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  flagsAt,
  MICRO,
  unknownVersion,
} from '../../base/domain/position/fix-record.ts'
import {
  MOTION_BITS,
  MOTIONS,
  type Motion,
  SILENCES,
  type Silence,
} from '../../base/domain/position/fold-state.ts'
import type { Shift } from './object-shifts.ts'
import { believedSpeed } from './rules/not-driving.ts'
import {
  FLAG,
  firstNumberAt,
  NUMBER,
  RARE,
  rareFlagsIn,
  SILENCE_BIT,
  SILENCE_BITS,
} from './stored-position.ts'

/**
 * A stored position, hidden ones too, as the derivation of records and the reports read it. Counters include the
 * shifts of the object.
 */
export type TrackRow = {
  readonly time: number
  readonly latitude: number
  readonly longitude: number
  /** km/h. Null if it is missing or cannot be believed, if it is the noise of a parked device, or if the place refutes it. */
  readonly speed: number | null
  readonly motion: Motion | null
  /** Whether it is parked with the ignition off. False if its device does not say. */
  readonly isOff: boolean
  readonly isSuspect: boolean
  /** Whether it belongs to the suspect row before it. A believed row that does confirms that one. */
  readonly joins: boolean
  /** The time of the position up to which distance has been counted. */
  readonly anchorAt: number
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
  /** Reads its attributes. Null: it has none. */
  readonly attributes: ((take: TakeEntry) => void) | null
}

/**
 * The stored part of a track row: the flags of the fix record, of the fold state and the rare ones, and numbers in the
 * units of the record. A number that the flags do not have is any number.
 */
type StoredTrack = Pick<TrackRow, 'time' | 'isShown' | 'address' | 'attributes'> & {
  flags: number
  state: number
  rare: number
  anchorAt: number
  latitude: number
  longitude: number
  speed: number
  odometer: number
  engineHours: number
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
  const rowOf = trackRowMaker(shifts)
  for (let at = 0; at < block.length; ) {
    const fix = at + ROW_HEAD_BYTES
    if (block[fix + FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
    const end = recordEnd(block, fix)
    const flags = flagsAt(block, fix)
    const state = uint24At(block, end)
    rows.push(
      rowOf({
        time: uint48At(block, fix + FIX_RECORD.timeDevice),
        flags,
        state,
        rare: rareFlagsIn(block, state, end),
        anchorAt: (state & NUMBER.anchorAt) === 0 ? 0 : uint48At(block, firstNumberAt(state, end)),
        latitude: int32At(block, fix + FIX_RECORD.latitude),
        longitude: int32At(block, fix + FIX_RECORD.longitude),
        speed: int32At(block, fix + FIX_RECORD.speed) >>> 0,
        odometer: uint48At(block, fix + FIX_RECORD.odometer),
        engineHours: uint48At(block, fix + FIX_RECORD.engineHours),
        isShown: block[at + ROW_HEAD.shown] === 1,
        address: (flags & FIX_FLAG.address) === 0 ? null : addressOf(block, fix, end, flags),
        attributes:
          (flags & FIX_FLAG.attributes) === 0 ? null : (take) => readSection(block, end, take),
      }),
    )
    at = end + block[at + ROW_HEAD.trackLength]!
  }
  return rows
}

const IGNITION = FIX_FLAG.ignitionKnown | FIX_FLAG.ignitionOn

/** Makes the rows of one object, in the order of their times. Adds the shifts of the object. */
export function trackRowMaker(shifts: readonly Shift[]): (stored: StoredTrack) => TrackRow {
  let [next, odometerShift, engineHoursShift] = [0, 0, 0]
  return (stored) => {
    const { time, flags, state, rare, latitude, longitude, speed, odometer, engineHours } = stored
    for (let shift = shifts[next]; shift !== undefined && shift.from <= time; ) {
      odometerShift += shift.odometer
      engineHoursShift += shift.engineHours
      next += 1
      shift = shifts[next]
    }
    const isSpeedKnown =
      (flags & FIX_FLAG.speed) !== 0 && (state & FLAG.doubted) === 0 && (rare & RARE.refuted) === 0
    const motion = MOTIONS[state & MOTION_BITS]!
    return {
      time,
      latitude: latitude / COORDINATE_SCALE,
      longitude: longitude / COORDINATE_SCALE,
      speed: believedSpeed({ speed: isSpeedKnown ? speed / MICRO : null }),
      motion,
      isOff: motion === 'stopped' && (flags & IGNITION) === FIX_FLAG.ignitionKnown,
      isSuspect: (state & FLAG.suspect) !== 0,
      joins: (state & FLAG.joins) !== 0,
      anchorAt: (state & NUMBER.anchorAt) === 0 ? time : stored.anchorAt,
      silence: SILENCES[(state >>> SILENCE_BIT) & SILENCE_BITS]!,
      isShown: stored.isShown,
      isActive: (state & FLAG.active) !== 0,
      hasMoved: (state & FLAG.moved) !== 0,
      // As `objectShifts` shows them: a sum is below zero only while a fold is unfinished.
      odometer: (flags & FIX_FLAG.odometer) === 0 ? null : Math.max(0, odometer + odometerShift),
      engineHours:
        (flags & FIX_FLAG.engineHours) === 0 ? null : Math.max(0, engineHours + engineHoursShift),
      address: stored.address,
      attributes: stored.attributes,
    }
  }
}

function addressOf(block: Uint8Array, fix: number, end: number, flags: number): string {
  const start = fix + block[fix + FIX_RECORD.addressAt]!
  return Buffer.from(block.buffer, block.byteOffset, addressEnd(block, end, flags)).toString(
    'utf8',
    start,
  )
}

function recordEnd(block: Uint8Array, fix: number): number {
  return fix + block[fix + FIX_RECORD.length]! + block[fix + FIX_RECORD.length + 1]! * 0x100
}
