import type { FleetObject } from '../../directory/fleet-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import {
  COORDINATE_SCALE,
  FIX_FLAG,
  FIX_RECORD,
  HOUR_MS,
} from '../../domain/position/fix-record.ts'
import { type AddressAt, nothingKnown } from '../../domain/position/known-addresses.ts'
import { writeBytes, writeDecimal, writeInstant, writeText } from './json-bytes.ts'
import { countersOf, DECIMALS, hundredthOf, hundredths } from './numbers.ts'

/**
 * Writes whole fix records of one object as position rows, joined by commas. `continued`: rows went
 * before, so a comma precedes the first one too. `copy` copies the rows out of memory that the next ones
 * reuse. Without it each call gets its own memory. `around` is written around each row.
 */
export type PositionRowEncoder = (
  records: Uint8Array,
  continued: boolean,
  copy?: (rows: Buffer) => Buffer,
  around?: AroundRow,
) => Buffer

/** Constant text around each row. `isExact`: whether a row ends with the counters as they are kept. */
export type AroundRow = { before: Uint8Array; after: Uint8Array; isExact: boolean }

const NOTHING_AROUND: AroundRow = {
  before: new Uint8Array(),
  after: new Uint8Array(),
  isExact: false,
}

const label = (field: string) => Buffer.from(`,"${field}":`)
const LABEL = {
  longitude: label('longitude'),
  altitude: label('altitude'),
  angle: label('angle'),
  speed: label('speed'),
  timeServer: label('time_server'),
  timeDevice: label('time_device'),
  engineHours: label('engine_hours'),
  odometer: label('odometer'),
  mileage: label('mileage'),
  address: label('address'),
}
const EXACT = {
  odometer: Buffer.from(',"exact":{"odometer_mm":'),
  mileage: label('mileage_mm'),
  engineHours: label('engine_hours_ms'),
}
/** The labels above and three integers below 2^48. */
const EXACT_BYTES = 120
const NULL = Buffer.from('null')
const COMMA = 44
const CLOSING_BRACE = 125

/** The longest labels, numbers and times of a row. Names and addresses come on top. */
const NUMBERS_BYTES = 420
/** A byte of UTF-8 becomes at most `\u00XX`. */
const ESCAPED_BYTES = 6
/** The room that a record without an address leaves, because all of it is counted as text. */
const ADDRESS_BYTES = FIX_RECORD.address * ESCAPED_BYTES

const MS_PER_MILLIHOUR = HOUR_MS / 10 ** DECIMALS.engineHours

/**
 * `addressAt`: finds the addresses of positions that brought none. If it knows none, the object's own is
 * shown.
 */
export function positionRowEncoder(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  addressAt: AddressAt = nothingKnown,
): PositionRowEncoder {
  const constant = constantParts(fleetObject, unit)
  const ownBytes = constant.identity.length + NUMBERS_BYTES + constant.address.length

  return (records, continued, copy = Buffer.from, around = NOTHING_AROUND) => {
    const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
    const rows = Math.floor(records.length / FIX_RECORD.address)
    const rowBytes =
      ownBytes + around.before.length + around.after.length + (around.isExact ? EXACT_BYTES : 0)
    let out = scratchOf(rows * rowBytes + records.length * ESCAPED_BYTES)
    let to = 0
    for (let at = 0; at < records.length; ) {
      const end = at + view.getUint16(at + FIX_RECORD.length, true)
      // A damaged length could make the loop endless, or read beyond the records.
      if (end < at + FIX_RECORD.address || end > records.length) throw damagedRecord()
      if (continued || at > 0) out[to++] = COMMA
      to = writeBytes(out, to, around.before)
      to = writeLocation(out, to, view, at, constant)
      to = writeCounters(out, to, view, at, constant)
      to = writeBytes(out, to, LABEL.address)
      if (bringsAddress(view, at)) {
        to = writeText(out, to, records, at + FIX_RECORD.address, end)
      } else {
        const known = addressAt(
          view.getInt32(at + FIX_RECORD.latitude, true) / COORDINATE_SCALE,
          view.getInt32(at + FIX_RECORD.longitude, true) / COORDINATE_SCALE,
        )
        const address = known === null ? constant.address : known.json
        if (address.length > ADDRESS_BYTES) out = widened(out, to, address.length)
        to = writeBytes(out, to, address)
      }
      if (around.isExact) to = writeExact(out, to, view, at)
      out[to++] = CLOSING_BRACE
      to = writeBytes(out, to, around.after)
      at = end
    }
    return copy(out.subarray(0, to))
  }
}

/** Whether some of these adjacent records came without an address. */
export function someLackAddress(records: Uint8Array): boolean {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
  for (let at = 0; at + FIX_RECORD.address <= records.length; ) {
    if (!bringsAddress(view, at)) return true
    const length = view.getUint16(at + FIX_RECORD.length, true)
    // The encoder reports the damage.
    if (length < FIX_RECORD.address) return false
    at += length
  }
  return false
}

function bringsAddress(view: DataView, at: number): boolean {
  return (view.getUint16(at + FIX_RECORD.flags, true) & FIX_FLAG.address) !== 0
}

function damagedRecord(): Error {
  return new Error('the record of a position is damaged; restore the data from a backup')
}

let scratch = Buffer.alloc(0)

/**
 * Room for the longest possible block, about four times the usual one. It is kept, because the system
 * provides and takes back memory of this size page by page.
 */
function scratchOf(bytes: number): Buffer {
  if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes)
  return scratch
}

/** The same memory with room for more bytes. */
function widened(out: Buffer, used: number, bytes: number): Buffer {
  const wider = Buffer.allocUnsafeSlow(out.length + bytes)
  out.copy(wider, 0, 0, used)
  scratch = wider
  return wider
}

/** The parts of a row that are the same for all rows of an object, ready to be written. */
type ConstantParts = {
  identity: Buffer
  /** The object's own values, for fixes that have none. */
  engineHours: Buffer
  odometer: Buffer
  mileage: Buffer
  address: Buffer
  /** Millionths of a kilometre in a hundredth of the unit. */
  hundredth: number
}

function constantParts(fleetObject: FleetObject, unit: DistanceUnit): ConstantParts {
  const { object, state } = fleetObject
  const { engineHours, odometer, mileage } = countersOf(object, state.fold, unit)
  return {
    identity: Buffer.from(`{${identityOf(fleetObject)},"latitude":`),
    engineHours: json(engineHours),
    odometer: json(odometer),
    mileage: json(mileage),
    address: json(state.address?.value ?? object.address),
    hundredth: hundredthOf(unit),
  }
}

// Keep `to` out of closures: a captured variable lives on the heap, and a row writes it some 400 times.

function writeLocation(
  out: Uint8Array,
  start: number,
  view: DataView,
  at: number,
  { identity, hundredth }: ConstantParts,
): number {
  const flags = view.getUint16(at + FIX_RECORD.flags, true)
  let to = writeBytes(out, start, identity)
  to = writeDecimal(out, to, view.getInt32(at + FIX_RECORD.latitude, true), 7)
  to = writeBytes(out, to, LABEL.longitude)
  to = writeDecimal(out, to, view.getInt32(at + FIX_RECORD.longitude, true), 7)
  to = writeBytes(out, to, LABEL.altitude)
  to = writeCenti(out, to, flags & FIX_FLAG.altitude, view.getInt32(at + FIX_RECORD.altitude, true))
  to = writeBytes(out, to, LABEL.angle)
  to = writeCenti(out, to, flags & FIX_FLAG.angle, view.getUint16(at + FIX_RECORD.angle, true))
  to = writeBytes(out, to, LABEL.speed)
  const speed = hundredths(view.getUint32(at + FIX_RECORD.speed, true), hundredth)
  to = writeCenti(out, to, flags & FIX_FLAG.speed, speed)
  to = writeBytes(out, to, LABEL.timeServer)
  to = writeInstant(out, to, uint48(view, at + FIX_RECORD.timeServer))
  to = writeBytes(out, to, LABEL.timeDevice)
  return writeInstant(out, to, uint48(view, at + FIX_RECORD.timeDevice))
}

function writeCounters(
  out: Uint8Array,
  start: number,
  view: DataView,
  at: number,
  constant: ConstantParts,
): number {
  const flags = view.getUint16(at + FIX_RECORD.flags, true)
  let to = writeBytes(out, start, LABEL.engineHours)
  if ((flags & FIX_FLAG.engineHours) === 0) {
    to = writeBytes(out, to, constant.engineHours)
  } else {
    const millihours = Math.round(uint48(view, at + FIX_RECORD.engineHours) / MS_PER_MILLIHOUR)
    to = writeDecimal(out, to, millihours, DECIMALS.engineHours)
  }
  to = writeBytes(out, to, LABEL.odometer)
  to =
    (flags & FIX_FLAG.odometer) === 0
      ? writeBytes(out, to, constant.odometer)
      : writeDistance(out, to, view, at + FIX_RECORD.odometer, constant)
  to = writeBytes(out, to, LABEL.mileage)
  return (flags & FIX_FLAG.mileage) === 0
    ? writeBytes(out, to, constant.mileage)
    : writeDistance(out, to, view, at + FIX_RECORD.mileage, constant)
}

function writeExact(out: Uint8Array, start: number, view: DataView, at: number): number {
  const flags = view.getUint16(at + FIX_RECORD.flags, true)
  const write = (to: number, flag: number, field: number) =>
    (flags & flag) === 0 ? writeBytes(out, to, NULL) : writeDecimal(out, to, uint48(view, field), 0)
  let to = writeBytes(out, start, EXACT.odometer)
  to = write(to, FIX_FLAG.odometer, at + FIX_RECORD.odometer)
  to = writeBytes(out, to, EXACT.mileage)
  to = write(to, FIX_FLAG.mileage, at + FIX_RECORD.mileage)
  to = writeBytes(out, to, EXACT.engineHours)
  to = write(to, FIX_FLAG.engineHours, at + FIX_RECORD.engineHours)
  out[to++] = CLOSING_BRACE
  return to
}

function writeCenti(out: Uint8Array, to: number, known: number, centi: number): number {
  return known === 0 ? writeBytes(out, to, NULL) : writeDecimal(out, to, centi, 2)
}

function writeDistance(
  out: Uint8Array,
  to: number,
  view: DataView,
  field: number,
  { hundredth }: ConstantParts,
): number {
  return writeDecimal(out, to, hundredths(uint48(view, field), hundredth), 2)
}

function uint48(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32
}

/** The position row of an object that never had a fix. */
export function encodeUnseenRow(fleetObject: FleetObject, unit: DistanceUnit): Buffer {
  const { object } = fleetObject
  const { engineHours, odometer, mileage } = countersOf(object, null, unit)
  return Buffer.from(
    `{${identityOf(fleetObject)}` +
      ',"latitude":null,"longitude":null,"altitude":null,"angle":null,"speed":null' +
      ',"time_server":null,"time_device":null' +
      `,"engine_hours":${engineHours},"odometer":${odometer},"mileage":${mileage}` +
      `,"address":${JSON.stringify(object.address)}}`,
  )
}

function identityOf({ object }: FleetObject): string {
  return `"id":${object.id},"ident":${JSON.stringify(object.ident)},"name":${JSON.stringify(object.name)}`
}

function json(value: string | number | null): Buffer {
  return Buffer.from(JSON.stringify(value))
}
