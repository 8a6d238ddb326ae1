import type { FleetObject } from '../../catalogue/fleet.ts'
import { FIX_FLAG, FIX_RECORD, HOUR_MS, MICRO } from '../../domain/fix-record.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { DECIMALS, rounded } from './decimal.ts'
import { writeBytes, writeDecimal, writeInstant, writeText } from './json-bytes.ts'
import { measure } from './object.ts'
import { KM_PER_UNIT } from './unit.ts'

/**
 * Writes whole fix records of one object as Position rows, joined by commas.
 * `continued`: rows went before, so the first one too is preceded by a comma.
 */
export type PositionRowEncoder = (records: Uint8Array, continued: boolean) => Buffer

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
const NULL = Buffer.from('null')
const COMMA = 44
const CLOSING_BRACE = 125

/** No row's labels, numbers and times are longer than this; names and addresses come on top. */
const NUMBERS_BYTES = 420
/** A byte of UTF-8 becomes at most `\u00XX`. */
const ESCAPED_BYTES = 6

const MS_PER_MILLIHOUR = HOUR_MS / 10 ** DECIMALS.engineHours

export function positionRowEncoder(
  fleetObject: FleetObject,
  unit: DistanceUnit,
): PositionRowEncoder {
  const { object, state } = fleetObject
  const identity = Buffer.from(`{${identityOf(fleetObject)},"latitude":`)
  const fallback = {
    engineHours: json(
      rounded(state.engineHours?.value ?? object.engineHours, DECIMALS.engineHours),
    ),
    odometer: json(measure(state.odometer?.value ?? object.odometer, unit)),
    mileage: json(measure(state.mileage?.value ?? object.mileage, unit)),
    address: json(state.address?.value ?? object.address),
  }
  /** Millionths of a km, or of a km/h, in a hundredth of the organization's unit. */
  const perCenti = (MICRO * KM_PER_UNIT[unit]) / 100
  const fixedBytes = identity.length + NUMBERS_BYTES + fallback.address.length

  return (records, continued) => {
    const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
    const uint48 = (at: number) => view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32
    const rows = Math.floor(records.length / FIX_RECORD.address)
    const out = Buffer.allocUnsafe(rows * fixedBytes + records.length * ESCAPED_BYTES)
    let to = 0

    function centi(value: number, known: boolean): number {
      return known ? writeDecimal(out, to, value, 2) : writeBytes(out, to, NULL)
    }

    for (let at = 0; at < records.length; ) {
      const flags = view.getUint16(at + FIX_RECORD.flags, true)
      const end = at + view.getUint16(at + FIX_RECORD.length, true)
      if (continued || at > 0) out[to++] = COMMA
      to = writeBytes(out, to, identity)
      to = writeDecimal(out, to, view.getInt32(at + FIX_RECORD.latitude, true), 7)
      to = writeBytes(out, to, LABEL.longitude)
      to = writeDecimal(out, to, view.getInt32(at + FIX_RECORD.longitude, true), 7)
      to = writeBytes(out, to, LABEL.altitude)
      to = centi(view.getInt32(at + FIX_RECORD.altitude, true), (flags & FIX_FLAG.altitude) !== 0)
      to = writeBytes(out, to, LABEL.angle)
      to = centi(view.getUint16(at + FIX_RECORD.angle, true), (flags & FIX_FLAG.angle) !== 0)
      to = writeBytes(out, to, LABEL.speed)
      to = centi(
        Math.round(view.getUint32(at + FIX_RECORD.speed, true) / perCenti),
        (flags & FIX_FLAG.speed) !== 0,
      )
      to = writeBytes(out, to, LABEL.timeServer)
      to = writeInstant(out, to, uint48(at + FIX_RECORD.timeServer))
      to = writeBytes(out, to, LABEL.timeDevice)
      to = writeInstant(out, to, uint48(at + FIX_RECORD.timeDevice))
      to = writeBytes(out, to, LABEL.engineHours)
      to =
        (flags & FIX_FLAG.engineHours) === 0
          ? writeBytes(out, to, fallback.engineHours)
          : writeDecimal(
              out,
              to,
              Math.round(uint48(at + FIX_RECORD.engineHours) / MS_PER_MILLIHOUR),
              DECIMALS.engineHours,
            )
      to = writeBytes(out, to, LABEL.odometer)
      to =
        (flags & FIX_FLAG.odometer) === 0
          ? writeBytes(out, to, fallback.odometer)
          : centi(Math.round(uint48(at + FIX_RECORD.odometer) / perCenti), true)
      to = writeBytes(out, to, LABEL.mileage)
      to =
        (flags & FIX_FLAG.mileage) === 0
          ? writeBytes(out, to, fallback.mileage)
          : centi(Math.round(uint48(at + FIX_RECORD.mileage) / perCenti), true)
      to = writeBytes(out, to, LABEL.address)
      to =
        (flags & FIX_FLAG.address) === 0
          ? writeBytes(out, to, fallback.address)
          : writeText(out, to, records, at + FIX_RECORD.address, end)
      out[to++] = CLOSING_BRACE
      at = end
    }
    return out.subarray(0, to)
  }
}

/** The Position row of an object that never had a fix. */
export function encodeUnseenRow(fleetObject: FleetObject, unit: DistanceUnit): Buffer {
  const { object } = fleetObject
  return Buffer.from(
    `{${identityOf(fleetObject)}` +
      ',"latitude":null,"longitude":null,"altitude":null,"angle":null,"speed":null' +
      ',"time_server":null,"time_device":null' +
      `,"engine_hours":${rounded(object.engineHours, DECIMALS.engineHours)}` +
      `,"odometer":${measure(object.odometer, unit)}` +
      `,"mileage":${measure(object.mileage, unit)}` +
      `,"address":${JSON.stringify(object.address)}}`,
  )
}

function identityOf({ object }: FleetObject): string {
  return `"id":${object.id},"ident":${JSON.stringify(object.ident)},"name":${JSON.stringify(object.name)}`
}

function json(value: string | number | null): Buffer {
  return Buffer.from(JSON.stringify(value))
}
