import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { hundredthOf, hundredths } from '../../domain/position/field.ts'
import { MICRO } from '../../domain/position/fix-record.ts'
import type { Counters } from '../../domain/position/fold-state.ts'
import { DAY_MS, formatInstant, HOUR_MS } from '../../domain/time/time.ts'

/**
 * A number as answers show it: rounded to `decimals`, halves away from zero, or null. We shift digits
 * instead of multiplying: 1.005 * 100 is 100.49999999999999, but a reader of 1.005 expects 1.01.
 */
export function rounded(value: number | null, decimals: number): number | null {
  if (value === null) return null
  const size = Math.abs(value)
  const digits = String(size)
  const shifted = digits.includes('e') ? size * 10 ** decimals : Number(`${digits}e${decimals}`)
  const result = Math.round(shifted) / 10 ** decimals
  return value < 0 && result !== 0 ? -result : result
}

/** Decimals of each kind of value. Only output is rounded. */
export const DECIMALS = {
  coordinate: 7,
  /** Speed, distance, altitude and angle. */
  measure: 2,
  engineHours: 3,
  share: 4,
} as const

const COORDINATE_SCALE = 10 ** DECIMALS.coordinate

/** Most values have no more decimals, and to round one takes thirty times as long. */
export function degrees(value: number): number {
  return Math.round(value * COORDINATE_SCALE) / COORDINATE_SCALE === value
    ? value
    : rounded(value, DECIMALS.coordinate)!
}

/** Kilometres in one distance unit of the organization. A mile is the international mile of 1959. */
export const KM_PER_UNIT: Record<DistanceUnit, number> = { km: 1, mi: 1.609344 }

/** Counters as answers show them. The object's own ones if its fixes have none. */
export function countersOf(
  object: MonitoredObject,
  counters: Counters | null,
  unit: DistanceUnit,
): Record<'engineHours' | 'odometer' | 'mileage', number | null> {
  const { engineHours = null, odometer = null, mileage = null } = counters ?? {}
  return {
    engineHours:
      engineHours === null
        ? rounded(object.engineHours, DECIMALS.engineHours)
        : hoursOf(engineHours),
    odometer: odometer === null ? measure(object.odometer, unit) : distance(odometer, unit),
    mileage: mileage === null ? measure(object.mileage, unit) : distance(mileage, unit),
  }
}

/** Engine hours of a number of milliseconds. */
export function hoursOf(milliseconds: number): number {
  return rounded(milliseconds / HOUR_MS, DECIMALS.engineHours)!
}

/** A distance in mm, in the organization's unit. */
export function distance(millimetres: number, unit: DistanceUnit): number {
  return hundredths(millimetres, hundredthOf(unit)) / 100
}

/**
 * The difference of two odometers in mm, in the organization's unit. It is below zero only while its object is
 * being folded again.
 */
export function counterDifference(millimetres: number | null, unit: DistanceUnit): number | null {
  return millimetres === null ? null : distance(Math.max(0, millimetres), unit)
}

/** Whole seconds of a number of milliseconds. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000)
}

/** km or km/h in the organization's unit, with the precision of a fix record. */
export function measure(value: number | null, unit: DistanceUnit): number | null {
  return value === null ? null : hundredths(Math.round(value * MICRO), hundredthOf(unit)) / 100
}

/*
 * Numbers and times written straight into bytes. Each function writes at `at` and returns where it ended. The
 * caller has made room. A row of a history has some 350 characters, most of them digits. Strings would have to
 * be made, joined and encoded.
 */

const ZERO = 48
const DOT = 46
const MINUS = 45

export function writeBytes(out: Uint8Array, at: number, bytes: Uint8Array): number {
  // A loop: for a dozen bytes `set` costs more than it saves.
  const { length } = bytes
  for (let i = 0; i < length; i++) out[at + i] = bytes[i]!
  return at + length
}

const SCALES = Array.from({ length: 8 }, (_, decimals) => 10 ** decimals)

/** Writes `scaled / 10 ** decimals` in its shortest decimal form. `scaled` is an integer below 2^53. */
export function writeDecimal(
  out: Uint8Array,
  at: number,
  scaled: number,
  decimals: number,
): number {
  let rest = scaled
  if (rest < 0) {
    out[at++] = MINUS
    rest = -rest
  }
  const scale = SCALES[decimals]!
  const whole = Math.floor(rest / scale)
  let fraction = rest - whole * scale
  const end = whole < SMALL ? writeSmall(out, at, whole | 0) : writeLarge(out, at, whole)
  if (fraction === 0) return end
  let digits = decimals
  for (let tens = (fraction / 10) | 0; tens * 10 === fraction; tens = (fraction / 10) | 0) {
    fraction = tens
    digits--
  }
  out[end] = DOT
  for (let i = end + digits; i > end; i--) {
    const tens = (fraction / 10) | 0
    out[i] = ZERO + fraction - tens * 10
    fraction = tens
  }
  return end + digits + 1
}

/** Below this, arithmetic stays within 32-bit integers. */
const SMALL = 1e9

function writeSmall(out: Uint8Array, at: number, value: number): number {
  const digits =
    value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : value < 10_000 ? 4 : manyDigits(value)
  let rest = value
  for (let i = at + digits - 1; i >= at; i--) {
    const tens = (rest / 10) | 0
    out[i] = ZERO + rest - tens * 10
    rest = tens
  }
  return at + digits
}

function manyDigits(value: number): number {
  let digits = 5
  for (let power = 100_000; power <= value; power *= 10) digits++
  return digits
}

function writeLarge(out: Uint8Array, at: number, value: number): number {
  const billions = Math.floor(value / SMALL)
  const end = writeSmall(out, at, billions)
  let rest = value - billions * SMALL
  for (let i = end + 8; i >= end; i--) {
    const tens = (rest / 10) | 0
    out[i] = ZERO + rest - tens * 10
    rest = tens
  }
  return end + 9
}

let dateOfDay = Number.NaN
let dateBytes = Buffer.from('')

/** Writes `2026-11-20T10:00:00.000Z`. Rows of a history mostly share their date. */
export function writeInstant(out: Uint8Array, at: number, time: number): number {
  const day = Math.floor(time / DAY_MS)
  if (day !== dateOfDay) {
    dateOfDay = day
    dateBytes = Buffer.from(formatInstant(day * DAY_MS).slice(0, 10))
  }
  let end = writeBytes(out, at, dateBytes)
  const ofDay = time - day * DAY_MS
  const seconds = (ofDay / 1000) | 0
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  out[end++] = 84 // T
  end = writeTwo(out, end, hours)
  out[end++] = 58 // :
  end = writeTwo(out, end, minutes - hours * 60)
  out[end++] = 58
  end = writeTwo(out, end, seconds - minutes * 60)
  out[end++] = DOT
  const millis = ofDay - seconds * 1000
  const hundreds = (millis / 100) | 0
  out[end++] = ZERO + hundreds
  end = writeTwo(out, end, millis - hundreds * 100)
  out[end++] = 90 // Z
  return end
}

function writeTwo(out: Uint8Array, at: number, value: number): number {
  const tens = (value / 10) | 0
  out[at] = ZERO + tens
  out[at + 1] = ZERO + value - tens * 10
  return at + 2
}
