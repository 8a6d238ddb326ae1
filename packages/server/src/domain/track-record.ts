import type { Fix } from './fix.ts'
import { HOUR_MS, MICRO, scaled, writeUint48 } from './fix-record.ts'
import type { Motion, Track } from './track.ts'

/**
 * The part of the track that is stored beside a position. Together with the position itself and those
 * that it points to it gives the whole `Track`, so that the fold can continue from any row. Pointers to
 * the row's own time are left out, as most are.
 */
export type RowTrack = {
  readonly motion: Motion | null
  readonly suspect: boolean
  readonly moved: boolean
  readonly parked: boolean
  readonly running: boolean
  /** The times of the positions that the track points to. */
  readonly anchorAt: number
  readonly lastAt: number
  readonly shownAt: number
  readonly activeAt: number | null
  readonly tripFrom: number | null
  /** The device's counters as last believed: mm, ms. */
  readonly odometerReading: number | null
  readonly engineHoursReading: number | null
  /** The device's counters in this fix: km, hours. */
  readonly odometer: number | null
  readonly engineHours: number | null
}

const MOTIONS = [null, 'stopped', 'idle', 'moving'] as const
const MOTION_BITS = 3
const FLAG = {
  suspect: 1 << 2,
  moved: 1 << 3,
  parked: 1 << 4,
  running: 1 << 5,
  /** The object was active at the row's own time. */
  active: 1 << 6,
  /** The believed reading is the fix's own. */
  sameOdometer: 1 << 7,
  sameEngineHours: 1 << 8,
} as const
/** The optional numbers in the order in which they are written, 6 bytes each. */
const NUMBER = {
  anchorAt: 1 << 9,
  lastAt: 1 << 10,
  shownAt: 1 << 11,
  activeAt: 1 << 12,
  tripFrom: 1 << 13,
  odometer: 1 << 14,
  engineHours: 1 << 15,
  odometerReading: 1 << 16,
  engineHoursReading: 1 << 17,
} as const
const FLAG_BYTES = 3
const NUMBER_BYTES = 6

const scratch = Buffer.alloc(FLAG_BYTES + NUMBER_BYTES * Object.keys(NUMBER).length)

/** Packs the track after `fix`. */
export function packTrack(track: Track, fix: Fix): Buffer {
  const { at } = track
  let flags = MOTIONS.indexOf(track.motion)
  let end = FLAG_BYTES
  const put = (flag: number, value: number) => {
    flags |= flag
    end = writeUint48(scratch, end, value)
  }
  if (track.suspect !== null) flags |= FLAG.suspect
  if (track.moved) flags |= FLAG.moved
  if (track.parked) flags |= FLAG.parked
  if (track.running) flags |= FLAG.running
  if (track.anchor.time !== at) put(NUMBER.anchorAt, track.anchor.time)
  if (track.last.time !== at) put(NUMBER.lastAt, track.last.time)
  if (track.shown.time !== at) put(NUMBER.shownAt, track.shown.time)
  if (track.activeAt === at) flags |= FLAG.active
  else if (track.activeAt !== null) put(NUMBER.activeAt, track.activeAt)
  if (track.tripFrom !== null) put(NUMBER.tripFrom, track.tripFrom)
  const odometer = fix.odometer === null ? null : scaled(fix.odometer, MICRO)
  const engineHours = fix.engineHours === null ? null : scaled(fix.engineHours, HOUR_MS)
  if (odometer !== null) put(NUMBER.odometer, odometer)
  if (engineHours !== null) put(NUMBER.engineHours, engineHours)
  if (track.odometerReading !== null) {
    if (track.odometerReading === odometer) flags |= FLAG.sameOdometer
    else put(NUMBER.odometerReading, track.odometerReading)
  }
  if (track.engineHoursReading !== null) {
    if (track.engineHoursReading === engineHours) flags |= FLAG.sameEngineHours
    else put(NUMBER.engineHoursReading, track.engineHoursReading)
  }
  scratch.writeUIntLE(flags, 0, FLAG_BYTES)
  return Buffer.from(scratch.subarray(0, end))
}

/** Unpacks the record beside the position at time `at`. */
export function unpackTrack(bytes: Uint8Array, at: number): RowTrack {
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = record.readUIntLE(0, FLAG_BYTES)
  let end = FLAG_BYTES
  const take = (flag: number): number | null => {
    if ((flags & flag) === 0) return null
    end += NUMBER_BYTES
    return record.readUIntLE(end - NUMBER_BYTES, NUMBER_BYTES)
  }
  const anchorAt = take(NUMBER.anchorAt) ?? at
  const lastAt = take(NUMBER.lastAt) ?? at
  const shownAt = take(NUMBER.shownAt) ?? at
  const activeAt = take(NUMBER.activeAt) ?? ((flags & FLAG.active) === 0 ? null : at)
  const tripFrom = take(NUMBER.tripFrom)
  const odometer = take(NUMBER.odometer)
  const engineHours = take(NUMBER.engineHours)
  const odometerReading =
    take(NUMBER.odometerReading) ?? ((flags & FLAG.sameOdometer) === 0 ? null : odometer)
  const engineHoursReading =
    take(NUMBER.engineHoursReading) ?? ((flags & FLAG.sameEngineHours) === 0 ? null : engineHours)
  return {
    motion: MOTIONS[flags & MOTION_BITS]!,
    suspect: (flags & FLAG.suspect) !== 0,
    moved: (flags & FLAG.moved) !== 0,
    parked: (flags & FLAG.parked) !== 0,
    running: (flags & FLAG.running) !== 0,
    anchorAt,
    lastAt,
    shownAt,
    activeAt,
    tripFrom,
    odometerReading,
    engineHoursReading,
    odometer: odometer === null ? null : odometer / MICRO,
    engineHours: engineHours === null ? null : engineHours / HOUR_MS,
  }
}
