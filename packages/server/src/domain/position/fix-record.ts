import { FIX_LIMITS, type Fix } from './fix.ts'
import type { Counters, Motion } from './fold-state.ts'

/**
 * The one binary form of a position, a fix and its object's counters as of it: what a store keeps and
 * streams, and what the history encoder reads without building an object. Records follow each other
 * without a gap. The version of the form is in each record, because a store may have rows of several.
 * Fields that a later version adds go before the address. A program that does not know them finds the address by its
 * place, so they need no new form.
 *
 * All integers are little-endian; every scale is an exact decimal finer than, or equal to, what an
 * answer shows, so that storing rounds nothing that the answer would not.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0  | 2 | length of the record |
 * | 2  | 1 | version of the form |
 * | 3  | 1 | place of the address in the record |
 * | 4  | 2 | flags: which fields are known, the ignition, the motion, and whether it is late |
 * | 6  | 6 | time_device, ms since the epoch |
 * | 12 | 6 | time_server, ms since the epoch |
 * | 18 | 4 | latitude, 1e-7 degrees, signed |
 * | 22 | 4 | longitude, 1e-7 degrees, signed |
 * | 26 | 4 | altitude, cm, signed |
 * | 30 | 4 | speed, 1e-6 km/h |
 * | 34 | 6 | engine hours, ms |
 * | 40 | 6 | odometer, mm |
 * | 46 | 6 | mileage, mm |
 * | 52 | 2 | angle, 1e-2 degrees |
 * | 54 | 2 | HDOP, 1e-2 |
 * | 56 | 1 | GPS level |
 * | 57 | … | room for the optional fields of later versions; none today |
 * | …  | … | address, UTF-8, to the end of the record |
 */
export const FIX_RECORD = {
  length: 0,
  version: 2,
  addressAt: 3,
  flags: 4,
  timeDevice: 6,
  timeServer: 12,
  latitude: 18,
  longitude: 22,
  altitude: 26,
  speed: 30,
  engineHours: 34,
  odometer: 40,
  mileage: 46,
  angle: 52,
  hdop: 54,
  gpsLevel: 56,
  optional: 57,
} as const

/** The version of the form above. */
export const FIX_RECORD_VERSION = 1

/** Thrown for a record of another version. */
export function unknownVersion(): Error {
  return new Error('a position has a form that this version does not know')
}

export const FIX_FLAG = {
  altitude: 1,
  speed: 2,
  engineHours: 4,
  odometer: 8,
  mileage: 16,
  angle: 32,
  hdop: 64,
  gpsLevel: 128,
  address: 256,
  ignitionKnown: 512,
  ignitionOn: 1024,
  motionKnown: 2048,
  /** The object had a newer position when this one was stored. */
  late: 16384,
} as const

/** The bits of the flags that hold the index of the motion in `RECORD_MOTIONS`. */
const MOTION_BIT = 12
export const RECORD_MOTIONS: readonly Motion[] = ['stopped', 'idle', 'moving']

/** The index of the motion in the flags of a record, if its flag says that it is known. */
export function motionIn(flags: number): number {
  return (flags >>> MOTION_BIT) & 3
}

export const COORDINATE_SCALE = 1e7
export const CENTI = 100
/** Parts of a km/h; also millimetres of a kilometre. */
export const MICRO = 1e6
export const HOUR_MS = 3_600_000

/** A combining mark at the beginning of an address belongs to the address. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes of the longest record. */
export const FIX_RECORD_LIMIT = FIX_RECORD.optional + FIX_LIMITS.addressBytes

/** Results of the fold that a record keeps beside the counters. */
export type FixMarks = { motion: Motion | null; isLate: boolean }

const NO_MARKS: FixMarks = { motion: null, isLate: false }

/** Packs a fix, its counters and its marks into a record. See `writeFix`. */
export function packFix(fix: Fix, counters: Counters, marks: FixMarks = NO_MARKS): Buffer {
  const addressBytes = fix.address === null ? 0 : Buffer.byteLength(fix.address)
  if (addressBytes > FIX_LIMITS.addressBytes) throw new RangeError('address is too long')
  const record = Buffer.alloc(FIX_RECORD.optional + addressBytes)
  writeFix(record, fix, counters, marks)
  return record
}

/**
 * Writes a fix, its counters and its marks to the beginning of a buffer. Returns the record's length. Throws a
 * RangeError if a value does not fit; `fixFault` tells beforehand.
 */
export function writeFix(
  out: Buffer,
  fix: Fix,
  counters: Counters,
  { motion, isLate }: FixMarks = NO_MARKS,
): number {
  let length: number = FIX_RECORD.optional
  let flags = isLate ? FIX_FLAG.late : 0
  if (motion !== null) {
    flags |= FIX_FLAG.motionKnown | (RECORD_MOTIONS.indexOf(motion) << MOTION_BIT)
  }
  if (fix.address !== null) {
    flags |= FIX_FLAG.address
    length += out.write(fix.address, FIX_RECORD.optional)
  }
  out.writeUInt16LE(length, FIX_RECORD.length)
  out[FIX_RECORD.version] = FIX_RECORD_VERSION
  out[FIX_RECORD.addressAt] = FIX_RECORD.optional
  writeUint48(out, FIX_RECORD.timeDevice, fix.timeDevice)
  writeUint48(out, FIX_RECORD.timeServer, fix.timeServer)
  out.writeInt32LE(scaled(fix.latitude, COORDINATE_SCALE), FIX_RECORD.latitude)
  out.writeInt32LE(scaled(fix.longitude, COORDINATE_SCALE), FIX_RECORD.longitude)
  if (fix.altitude !== null) flags |= FIX_FLAG.altitude
  out.writeInt32LE(scaled(fix.altitude ?? 0, CENTI), FIX_RECORD.altitude)
  if (fix.speed !== null) flags |= FIX_FLAG.speed
  out.writeUInt32LE(scaled(fix.speed ?? 0, MICRO), FIX_RECORD.speed)
  if (fix.angle !== null) flags |= FIX_FLAG.angle
  out.writeUInt16LE(scaled(fix.angle ?? 0, CENTI), FIX_RECORD.angle)
  if (fix.hdop !== null) flags |= FIX_FLAG.hdop
  out.writeUInt16LE(scaled(fix.hdop ?? 0, CENTI), FIX_RECORD.hdop)
  if (fix.gpsLevel !== null) flags |= FIX_FLAG.gpsLevel
  out.writeUInt8(Math.round(fix.gpsLevel ?? 0), FIX_RECORD.gpsLevel)
  if (fix.ignition !== null) {
    flags |= FIX_FLAG.ignitionKnown | (fix.ignition ? FIX_FLAG.ignitionOn : 0)
  }
  out.writeUInt16LE(flags, FIX_RECORD.flags)
  writeCounters(out, counters)
  return length
}

/**
 * Writes a whole number of 6 bytes and returns the end. The buffer's own method checks much more before it
 * writes.
 */
export function writeUint48(out: Buffer, at: number, value: number): number {
  if (!(value >= 0 && value < 2 ** 48)) throw new RangeError(`${value} does not fit in 48 bits`)
  const high = Math.floor(value / 2 ** 32)
  out[at] = value
  out[at + 1] = value >>> 8
  out[at + 2] = value >>> 16
  out[at + 3] = value >>> 24
  out[at + 4] = high
  out[at + 5] = high >>> 8
  return at + 6
}

/** Replaces the counters in a record. */
export function writeCounters(record: Buffer, counters: Counters, at = 0): void {
  const { engineHours, odometer, mileage } = counters
  const counted = FIX_FLAG.engineHours | FIX_FLAG.odometer | FIX_FLAG.mileage
  let flags = record.readUInt16LE(at + FIX_RECORD.flags) & ~counted
  if (engineHours !== null) flags |= FIX_FLAG.engineHours
  if (odometer !== null) flags |= FIX_FLAG.odometer
  if (mileage !== null) flags |= FIX_FLAG.mileage
  record.writeUInt16LE(flags, at + FIX_RECORD.flags)
  writeUint48(record, at + FIX_RECORD.engineHours, engineHours ?? 0)
  writeUint48(record, at + FIX_RECORD.odometer, odometer ?? 0)
  writeUint48(record, at + FIX_RECORD.mileage, mileage ?? 0)
}

export function readCounters(record: Buffer, at = 0): Counters {
  const flags = record.readUInt16LE(at + FIX_RECORD.flags)
  const known = (flag: number, field: number) =>
    (flags & flag) === 0 ? null : record.readUIntLE(at + field, 6)
  return {
    engineHours: known(FIX_FLAG.engineHours, FIX_RECORD.engineHours),
    odometer: known(FIX_FLAG.odometer, FIX_RECORD.odometer),
    mileage: known(FIX_FLAG.mileage, FIX_RECORD.mileage),
  }
}

/**
 * The fix as it reads after it was stored: each value has the scale of the record. The fold takes this
 * form, so that a fold over stored fixes gives the same result.
 */
export function asStored(fix: Fix): Fix {
  return {
    timeDevice: fix.timeDevice,
    timeServer: fix.timeServer,
    latitude: scaled(fix.latitude, COORDINATE_SCALE) / COORDINATE_SCALE,
    longitude: scaled(fix.longitude, COORDINATE_SCALE) / COORDINATE_SCALE,
    altitude: atScale(fix.altitude, CENTI),
    angle: atScale(fix.angle, CENTI),
    speed: atScale(fix.speed, MICRO),
    engineHours: atScale(fix.engineHours, HOUR_MS),
    odometer: atScale(fix.odometer, MICRO),
    hdop: atScale(fix.hdop, CENTI),
    gpsLevel: atScale(fix.gpsLevel, 1),
    ignition: fix.ignition,
    address: fix.address,
  }
}

function atScale(value: number | null, scale: number): number | null {
  return value === null ? null : scaled(value, scale) / scale
}

/**
 * Returns `value * scale` as an integer, halves away from zero. 1.005 * 100 is 100.49999999999999, but a
 * reader of 1.005 expects 101. The product is at most one part in 2^52 too small, so we add that.
 */
export function scaled(value: number, scale: number): number {
  // Turns -0 into 0, because a record keeps no sign of zero.
  return Math.sign(value) * Math.round(Math.abs(value) * scale * (1 + Number.EPSILON)) + 0
}

/**
 * Reads the fix of the record at `offset`. Records do not hold the device's own counters, so those are
 * null.
 */
export function unpackFix(records: Uint8Array, offset = 0): Fix {
  const bytes = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
  if (bytes[offset + FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
  const flags = bytes.readUInt16LE(offset + FIX_RECORD.flags)
  const known = (flag: number, value: number) => ((flags & flag) === 0 ? null : value)
  return {
    timeDevice: bytes.readUIntLE(offset + FIX_RECORD.timeDevice, 6),
    timeServer: bytes.readUIntLE(offset + FIX_RECORD.timeServer, 6),
    latitude: bytes.readInt32LE(offset + FIX_RECORD.latitude) / COORDINATE_SCALE,
    longitude: bytes.readInt32LE(offset + FIX_RECORD.longitude) / COORDINATE_SCALE,
    altitude: known(FIX_FLAG.altitude, bytes.readInt32LE(offset + FIX_RECORD.altitude) / CENTI),
    angle: known(FIX_FLAG.angle, bytes.readUInt16LE(offset + FIX_RECORD.angle) / CENTI),
    speed: known(FIX_FLAG.speed, bytes.readUInt32LE(offset + FIX_RECORD.speed) / MICRO),
    engineHours: null,
    odometer: null,
    hdop: known(FIX_FLAG.hdop, bytes.readUInt16LE(offset + FIX_RECORD.hdop) / CENTI),
    gpsLevel: known(FIX_FLAG.gpsLevel, bytes.readUInt8(offset + FIX_RECORD.gpsLevel)),
    ignition: (flags & FIX_FLAG.ignitionKnown) === 0 ? null : (flags & FIX_FLAG.ignitionOn) !== 0,
    address:
      (flags & FIX_FLAG.address) === 0
        ? null
        : utf8.decode(
            bytes.subarray(
              offset + bytes[offset + FIX_RECORD.addressAt]!,
              offset + bytes.readUInt16LE(offset + FIX_RECORD.length),
            ),
          ),
  }
}
