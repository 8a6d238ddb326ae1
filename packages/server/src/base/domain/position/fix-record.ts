import { writeUint48 } from '../common/packed-numbers.ts'
import {
  type AttributeNames,
  attributesIn,
  MAX_SECTION_BYTES,
  NO_NAMES,
  sectionStart,
  writeSection,
} from './attribute-section.ts'
import { BYTES, type Bytes } from './field.ts'
import { MEASURES } from './field-lists.ts'
import { bareFix, FIX_LIMITS, type Fix } from './fix.ts'
import type { Counters, Motion } from './fold-state.ts'
import { FIELDS } from './position-fields.ts'

export { MICRO } from './position-fields.ts'

/**
 * The binary form of a position: a fix and the counters of its object at that time. Stores keep and stream it, and the
 * history encoder reads it without building an object. Records follow each other without a gap. The version of the form
 * is in each record, because a store may have rows of several.
 *
 * All integers are little-endian; every scale is an exact decimal at least as fine as that of
 * an answer, so storing never rounds more than the answer does.
 *
 * | offset | bytes | content |
 * |---|---|---|
 * | 0  | 2 | length of the record |
 * | 2  | 1 | version of the form |
 * | 3  | 1 | offset of the address in the record |
 * | 4  | 2 | flags: which fields are known, the ignition, the motion, whether it is late, and whether its time was corrected |
 * | 6  | 51 | the fields that each record has room for, at their offsets in `position-fields.ts` |
 * | 57 | 1 | mask of the optional fields, if the record has one of them |
 * | 58 | … | optional fields, up to the last one that is known |
 * | …  | … | address, UTF-8 |
 * | …  | … | attributes (`attribute-section.ts`), if their bit of the mask says that there are any |
 *
 * An optional field has an offset from 58 on that no other field may ever use, and a bit of the mask: its flag is
 * `1 << OPTIONAL_BIT` and up. The highest bit is that of the attributes. A record without optional fields and attributes
 * has no mask. A program that does not know a
 * field finds the address by its offset, so a new field does not need a new version.
 */
export const FIX_RECORD = {
  length: 0,
  version: 2,
  addressAt: FIELDS.address.record.at,
  flags: 4,
  timeDevice: FIELDS.time_device.record.at,
  timeServer: FIELDS.time_server.record.at,
  latitude: FIELDS.latitude.record.at,
  longitude: FIELDS.longitude.record.at,
  altitude: FIELDS.altitude.record.at,
  speed: FIELDS.speed.record.at,
  engineHours: FIELDS.engine_hours.record.at,
  odometer: FIELDS.odometer.record.at,
  mileage: FIELDS.mileage.record.at,
  angle: FIELDS.angle.record.at,
  hdop: FIELDS.hdop.record.at,
  gpsLevel: FIELDS.gps_level.record.at,
  optional: 57,
} as const
/** The first bit of the mask among the flags of a record. */
export const OPTIONAL_BIT = 16

/** The version of the form above. */
export const FIX_RECORD_VERSION = 1

/** Thrown for a record of another version. */
export function unknownVersion(): Error {
  return new Error('a position has a format that this version does not know')
}

/** Thrown for a record with an impossible length. */
export class DamagedRecord extends Error {
  constructor() {
    super('the record of a position is damaged; restore the data from a backup')
  }
}

export const FIX_FLAG = {
  altitude: FIELDS.altitude.record.flag,
  speed: FIELDS.speed.record.flag,
  engineHours: FIELDS.engine_hours.record.flag,
  odometer: FIELDS.odometer.record.flag,
  mileage: FIELDS.mileage.record.flag,
  angle: FIELDS.angle.record.flag,
  hdop: FIELDS.hdop.record.flag,
  gpsLevel: FIELDS.gps_level.record.flag,
  address: FIELDS.address.record.flag,
  ignitionKnown: FIELDS.ignition.record.flag,
  ignitionOn: FIELDS.ignition.record.at,
  motionKnown: FIELDS.motion.record.flag,
  /** The time of the fix was corrected. */
  corrected: FIELDS.corrected.record.at,
  /** The object had a newer position when this one was stored. */
  late: FIELDS.late.record.at,
  /** The record ends with attributes. */
  attributes: 1 << (OPTIONAL_BIT + 7),
} as const

/** The bits of the flags that hold the index of the motion in `RECORD_MOTIONS`. */
const MOTION_BIT = 12
export const RECORD_MOTIONS: readonly Motion[] = ['stopped', 'idle', 'moving']

/** The index of the motion in the flags of a record, if its flag says that it is known. */
export function motionIn(flags: number): number {
  return (flags >>> MOTION_BIT) & 3
}

export const COORDINATE_SCALE = FIELDS.latitude.record.scale
const SCALE = {
  altitude: FIELDS.altitude.record.scale,
  speed: FIELDS.speed.record.scale,
  engineHours: FIELDS.engine_hours.record.scale,
  odometer: FIELDS.odometer.record.scale,
  angle: FIELDS.angle.record.scale,
  hdop: FIELDS.hdop.record.scale,
  gpsLevel: FIELDS.gps_level.record.scale,
} as const

/**
 * The measures that a record may lack. Loops read and write them, and the code below those of each record: a loop over
 * names takes four times as long.
 */
const OPTIONAL = MEASURES.filter(({ at }) => at >= FIX_RECORD.optional)

/** A combining mark at the beginning of an address belongs to the address. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The end of the last optional field. */
export const OPTIONAL_END = OPTIONAL.reduce<number>(
  (_, { at, bytes }) => at + BYTES[bytes],
  FIX_RECORD.optional + 1,
)

/** Bytes of the longest record. */
export const FIX_RECORD_LIMIT = OPTIONAL_END + FIX_LIMITS.addressBytes + MAX_SECTION_BYTES

/** Results of the fold that a record keeps in addition to the counters. */
export type FixMarks = { motion: Motion | null; isLate: boolean }

const NO_MARKS: FixMarks = { motion: null, isLate: false }

/** Packs a fix, its counters and its marks into a record. See `writeFix`. */
export function packFix(
  fix: Fix,
  counters: Counters,
  marks: FixMarks = NO_MARKS,
  names: AttributeNames = NO_NAMES,
): Buffer {
  const addressBytes = fix.address === null ? 0 : Buffer.byteLength(fix.address)
  if (addressBytes > FIX_LIMITS.addressBytes) throw new RangeError('address is too long')
  if (fix.attributes !== null) {
    const record = Buffer.alloc(FIX_RECORD_LIMIT)
    return Buffer.from(record.subarray(0, writeFix(record, fix, counters, marks, names)))
  }
  const record = Buffer.alloc(optionalEnd(fix) + addressBytes)
  writeFix(record, fix, counters, marks)
  return record
}

/**
 * Writes a fix, its counters and its marks to the beginning of a buffer. Returns the record's length. Throws a
 * RangeError if a value does not fit; `fixFault` checks that beforehand. `names`: those of the object’s attributes, all that the
 * fix has among them.
 */
export function writeFix(
  out: Buffer,
  fix: Fix,
  counters: Counters,
  { motion, isLate }: FixMarks = NO_MARKS,
  names: AttributeNames = NO_NAMES,
): number {
  let flags: number = (isLate ? FIX_FLAG.late : 0) | (fix.corrected ? FIX_FLAG.corrected : 0)
  if (motion !== null) {
    flags |= FIX_FLAG.motionKnown | (RECORD_MOTIONS.indexOf(motion) << MOTION_BIT)
  }
  out[FIX_RECORD.version] = FIX_RECORD_VERSION
  writeUint48(out, FIX_RECORD.timeDevice, fix.timeDevice)
  writeUint48(out, FIX_RECORD.timeServer, fix.timeServer)
  out.writeInt32LE(scaled(fix.latitude, COORDINATE_SCALE), FIX_RECORD.latitude)
  out.writeInt32LE(scaled(fix.longitude, COORDINATE_SCALE), FIX_RECORD.longitude)
  if (fix.altitude !== null) flags |= FIX_FLAG.altitude
  out.writeInt32LE(scaled(fix.altitude ?? 0, SCALE.altitude), FIX_RECORD.altitude)
  if (fix.speed !== null) flags |= FIX_FLAG.speed
  out.writeUInt32LE(scaled(fix.speed ?? 0, SCALE.speed), FIX_RECORD.speed)
  if (fix.angle !== null) flags |= FIX_FLAG.angle
  out.writeUInt16LE(scaled(fix.angle ?? 0, SCALE.angle), FIX_RECORD.angle)
  if (fix.hdop !== null) flags |= FIX_FLAG.hdop
  out.writeUInt16LE(scaled(fix.hdop ?? 0, SCALE.hdop), FIX_RECORD.hdop)
  if (fix.gpsLevel !== null) flags |= FIX_FLAG.gpsLevel
  out.writeUInt8(scaled(fix.gpsLevel ?? 0, SCALE.gpsLevel), FIX_RECORD.gpsLevel)
  const addressAt = writeOptional(out, fix)
  out[FIX_RECORD.addressAt] = addressAt
  let length = addressAt
  if (fix.address !== null) {
    flags |= FIX_FLAG.address
    length += out.write(fix.address, addressAt)
  }
  if (fix.attributes !== null) length = writeSection(out, length, fix.attributes, names)
  if (fix.ignition !== null) {
    flags |= FIX_FLAG.ignitionKnown | (fix.ignition ? FIX_FLAG.ignitionOn : 0)
  }
  out.writeUInt16LE(length, FIX_RECORD.length)
  out.writeUInt16LE(flags, FIX_RECORD.flags)
  writeCounters(out, counters)
  return length
}

/** The end of the last of the optional fields that are known. */
function optionalEnd(fix: Fix): number {
  let end: number = FIX_RECORD.optional
  for (const { key, at, bytes } of OPTIONAL) if (fix[key] !== null) end = at + BYTES[bytes]
  return end
}

/** Writes the optional fields that are known, with their mask. Returns where they end. */
function writeOptional(out: Buffer, fix: Fix): number {
  let end: number = FIX_RECORD.optional
  let mask = 0
  if (fix.attributes !== null) {
    mask = FIX_FLAG.attributes >>> OPTIONAL_BIT
    end += 1
  }
  for (let i = 0; i < OPTIONAL.length; i++) {
    const { key, at, flag, bytes, scale } = OPTIONAL[i]!
    const value = fix[key]
    if (value === null) continue
    mask |= flag >>> OPTIONAL_BIT
    // The buffer may contain an older record.
    out.fill(0, end, at)
    end = writeWhole(out, at, bytes, scaled(value, scale))
  }
  if (mask !== 0) out[FIX_RECORD.optional] = mask
  return end
}

/** Writes a whole number and returns the end. */
function writeWhole(out: Buffer, at: number, bytes: Bytes, value: number): number {
  switch (bytes) {
    case 'int32':
      return out.writeInt32LE(value, at)
    case 'uint32':
      return out.writeUInt32LE(value, at)
    case 'uint16':
      return out.writeUInt16LE(value, at)
    case 'uint8':
      return out.writeUInt8(value, at)
  }
}

function readWhole(record: Buffer, at: number, bytes: Bytes): number {
  switch (bytes) {
    case 'int32':
      return record.readInt32LE(at)
    case 'uint32':
      return record.readUInt32LE(at)
    case 'uint16':
      return record.readUInt16LE(at)
    case 'uint8':
      return record.readUInt8(at)
  }
}

/** The flags of the record at `at`, with those of its optional fields. */
export function flagsAt(records: Uint8Array, at: number): number {
  const flags = records[at + FIX_RECORD.flags]! | (records[at + FIX_RECORD.flags + 1]! << 8)
  return records[at + FIX_RECORD.addressAt] === FIX_RECORD.optional
    ? flags
    : flags | (records[at + FIX_RECORD.optional]! << OPTIONAL_BIT)
}

/** Where the address ends in the record that ends at `end`. `flags`: those of `flagsAt`. */
export function addressEnd(records: Uint8Array, end: number, flags: number): number {
  return (flags & FIX_FLAG.attributes) === 0 ? end : sectionStart(records, end)
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

export function readMarks(record: Buffer, at = 0): FixMarks {
  const flags = record.readUInt16LE(at + FIX_RECORD.flags)
  const isMotionKnown = (flags & FIX_FLAG.motionKnown) !== 0
  const motion = isMotionKnown ? RECORD_MOTIONS[motionIn(flags)]! : null
  return { motion, isLate: (flags & FIX_FLAG.late) !== 0 }
}

/**
 * The fix as a store returns it: each value is rounded to the scale of the record. The fold takes fixes in this
 * form, so that a fold over stored fixes gives the same result.
 */
export function asStored(fix: Fix): Fix {
  const stored = { ...fix }
  stored.latitude = atScale(fix.latitude, COORDINATE_SCALE)
  stored.longitude = atScale(fix.longitude, COORDINATE_SCALE)
  if (fix.altitude !== null) stored.altitude = atScale(fix.altitude, SCALE.altitude)
  if (fix.angle !== null) stored.angle = atScale(fix.angle, SCALE.angle)
  if (fix.speed !== null) stored.speed = atScale(fix.speed, SCALE.speed)
  if (fix.engineHours !== null) stored.engineHours = atScale(fix.engineHours, SCALE.engineHours)
  if (fix.odometer !== null) stored.odometer = atScale(fix.odometer, SCALE.odometer)
  if (fix.hdop !== null) stored.hdop = atScale(fix.hdop, SCALE.hdop)
  if (fix.gpsLevel !== null) stored.gpsLevel = atScale(fix.gpsLevel, SCALE.gpsLevel)
  for (let i = 0; i < OPTIONAL.length; i++) {
    const { key, scale } = OPTIONAL[i]!
    const value = fix[key]
    if (value !== null) stored[key] = atScale(value, scale)
  }
  return stored
}

function atScale(value: number, scale: number): number {
  return scaled(value, scale) / scale
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
 * null. Attributes are read with the `names` of the object, and null without.
 */
export function unpackFix(records: Uint8Array, offset = 0, names: AttributeNames = NO_NAMES): Fix {
  const bytes = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
  if (bytes[offset + FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
  const flags = flagsAt(bytes, offset)
  const fix = bareFix(
    bytes.readUIntLE(offset + FIX_RECORD.timeDevice, 6),
    bytes.readUIntLE(offset + FIX_RECORD.timeServer, 6),
    bytes.readInt32LE(offset + FIX_RECORD.latitude) / COORDINATE_SCALE,
    bytes.readInt32LE(offset + FIX_RECORD.longitude) / COORDINATE_SCALE,
  )
  if ((flags & FIX_FLAG.altitude) !== 0) {
    fix.altitude = bytes.readInt32LE(offset + FIX_RECORD.altitude) / SCALE.altitude
  }
  if ((flags & FIX_FLAG.angle) !== 0) {
    fix.angle = bytes.readUInt16LE(offset + FIX_RECORD.angle) / SCALE.angle
  }
  if ((flags & FIX_FLAG.speed) !== 0) {
    fix.speed = bytes.readUInt32LE(offset + FIX_RECORD.speed) / SCALE.speed
  }
  if ((flags & FIX_FLAG.hdop) !== 0) {
    fix.hdop = bytes.readUInt16LE(offset + FIX_RECORD.hdop) / SCALE.hdop
  }
  if ((flags & FIX_FLAG.gpsLevel) !== 0) {
    fix.gpsLevel = bytes.readUInt8(offset + FIX_RECORD.gpsLevel) / SCALE.gpsLevel
  }
  for (const measure of OPTIONAL) {
    if ((flags & measure.flag) === 0) continue
    fix[measure.key] = readWhole(bytes, offset + measure.at, measure.bytes) / measure.scale
  }
  fix.corrected = (flags & FIX_FLAG.corrected) !== 0
  if ((flags & FIX_FLAG.ignitionKnown) !== 0) fix.ignition = (flags & FIX_FLAG.ignitionOn) !== 0
  const end = offset + bytes.readUInt16LE(offset + FIX_RECORD.length)
  if ((flags & FIX_FLAG.address) !== 0) {
    const from = offset + bytes[offset + FIX_RECORD.addressAt]!
    fix.address = utf8.decode(bytes.subarray(from, addressEnd(bytes, end, flags)))
  }
  if ((flags & FIX_FLAG.attributes) !== 0 && names.length > 0) {
    fix.attributes = attributesIn(bytes, end, names)
  }
  return fix
}
