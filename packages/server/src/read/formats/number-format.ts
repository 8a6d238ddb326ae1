import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { DistanceUnit } from '../../base/domain/organization.ts'
import { hundredthOf, hundredths } from '../../base/domain/position/field.ts'
import { MICRO } from '../../base/domain/position/fix-record.ts'
import type { Counters } from '../../base/domain/position/fold-state.ts'
import { DAY_MS, formatInstant, HOUR_MS } from '../../base/domain/time/time.ts'

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

/** Kilometers in one distance unit of the organization. A mile is the international mile of 1959. */
export const KM_PER_UNIT: Record<DistanceUnit, number> = { km: 1, mi: 1.609344 }

/** Counters as answers show them. The object's own ones if its fixes have none. */
export function countersOf(
  object: MonitoredObject,
  counters: Counters | null,
  unit: DistanceUnit,
): Record<'engineHours' | 'odometer' | 'mileage', number | null> {
  return {
    engineHours: engineHoursOf(object, counters),
    odometer: distanceOf('odometer', object, counters, unit),
    mileage: distanceOf('mileage', object, counters, unit),
  }
}

/** The engine hours of an object. */
export function engineHoursOf(object: MonitoredObject, counters: Counters | null): number | null {
  const counted = counters?.engineHours ?? null
  return counted === null ? rounded(object.engineHours, DECIMALS.engineHours) : hoursOf(counted)
}

/** A distance that an object has driven, in the organization's unit. */
export function distanceOf(
  counter: 'odometer' | 'mileage',
  object: MonitoredObject,
  counters: Counters | null,
  unit: DistanceUnit,
): number | null {
  const counted = counters?.[counter] ?? null
  return counted === null ? measure(object[counter], unit) : distance(counted, unit)
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
 * Texts, numbers and times written straight into bytes. Each function writes at `at` and returns where it ended. The
 * caller has made room for that and `OVERSHOOT_BYTES` more. A row of a history has some 350 characters, most of them
 * digits and constant text. Strings would have to be made, joined and encoded.
 */

const ZERO = 48
const DOT = 46
const MINUS = 45

/** A function may also write this many bytes after its end: several at once, or zeros at the end of a decimal. */
export const OVERSHOOT_BYTES = 8

/** A text that is written often, as words of four bytes: byte by byte it takes more than twice as long. */
export type FixedText = { readonly length: number; readonly words: Uint32Array }

const SLAB_WORDS = 512

/** Makes texts that share memory: memory of its own for each takes longer than most texts, and more bytes. */
export function textMaker(): (text: string) => FixedText {
  let slab = new Uint32Array(SLAB_WORDS)
  let bytes = Buffer.from(slab.buffer)
  let used = 0
  return (text) => {
    const most = Math.ceil(Buffer.byteLength(text) / Uint32Array.BYTES_PER_ELEMENT)
    if (used + most > slab.length) {
      slab = new Uint32Array(Math.max(SLAB_WORDS, most))
      bytes = Buffer.from(slab.buffer)
      used = 0
    }
    const length = bytes.write(text, used * Uint32Array.BYTES_PER_ELEMENT)
    used += most
    return { length, words: slab.subarray(used - most, used) }
  }
}

export const fixedText = textMaker()

export function textIn({ words, length }: FixedText): string {
  return bytesOf(words).toString('utf8', 0, length)
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

export function writeFixed(out: DataView, at: number, { length, words }: FixedText): number {
  for (let i = 0, to = at; i < words.length; i++, to += 4) out.setUint32(to, words[i]!, true)
  return at + length
}

export function writeBytes(out: Uint8Array, at: number, bytes: Uint8Array): number {
  // A loop: for a dozen bytes `set` costs more than it saves.
  const { length } = bytes
  for (let i = 0; i < length; i++) out[at + i] = bytes[i]!
  return at + length
}

const SCALES = Array.from({ length: 8 }, (_, decimals) => 10 ** decimals)

/** The two digits of each number below 100, as `setUint16` writes them. */
const PAIRS = Uint16Array.from({ length: 100 }, (_, number) => {
  const tens = Math.floor(number / 10)
  return ZERO + tens + ((ZERO + number - tens * 10) << 8)
})

/** Writes `scaled / 10 ** decimals` in its shortest decimal form. `scaled` is an integer below 2^53. */
export function writeDecimal(out: DataView, at: number, scaled: number, decimals: number): number {
  let rest = scaled
  if (rest < 0) {
    out.setUint8(at++, MINUS)
    rest = -rest
  }
  const scale = SCALES[decimals]!
  const whole = Math.floor(rest / scale)
  const fraction = rest - whole * scale
  const end = whole < SMALL ? writeSmall(out, at, whole | 0) : writeLarge(out, at, whole)
  return fraction === 0 ? end : writeFraction(out, end, fraction | 0, decimals)
}

/** Writes the point and the decimals without zeros at the end. */
function writeFraction(out: DataView, at: number, fraction: number, decimals: number): number {
  out.setUint8(at, DOT)
  let rest = (decimals & 1) === 0 ? fraction : fraction * 10
  for (let to = at + decimals - 1 + (decimals & 1); to > at; to -= 2) {
    const hundreds = (rest / 100) | 0
    out.setUint16(to, PAIRS[rest - hundreds * 100]!, true)
    rest = hundreds
  }
  let end = at + 1 + decimals
  while (out.getUint8(end - 1) === ZERO) end--
  return end
}

/** Below this, arithmetic stays within 32-bit integers. */
const SMALL = 1e9

function writeSmall(out: DataView, at: number, value: number): number {
  const end = at + digitsOf(value)
  let rest = value
  let to = end
  for (; rest > 9; to -= 2) {
    const hundreds = (rest / 100) | 0
    out.setUint16(to - 2, PAIRS[rest - hundreds * 100]!, true)
    rest = hundreds
  }
  if (to > at) out.setUint8(at, ZERO + rest)
  return end
}

function digitsOf(value: number): number {
  if (value < 1000) return value < 10 ? 1 : value < 100 ? 2 : 3
  let digits = 4
  for (let power = 10_000; power <= value; power *= 10) digits++
  return digits
}

function writeLarge(out: DataView, at: number, value: number): number {
  const billions = Math.floor(value / SMALL)
  const end = writeSmall(out, at, billions)
  let rest = value - billions * SMALL
  for (let to = end + 8; to >= end; to--) {
    const tens = (rest / 10) | 0
    out.setUint8(to, ZERO + rest - tens * 10)
    rest = tens
  }
  return end + 9
}

const MINUTE_MS = 60_000
const MINUTES_OF_DAY = DAY_MS / MINUTE_MS
const DATE_BYTES = '2026-11-20T'.length
/** The text of a minute. Rows of a history usually share their date, and both times of a row their minute. */
const minuteText = fixedText('2026-11-20T10:00:')
const minuteBytes = bytesOf(minuteText.words)
let [textDay, textMinute] = [Number.NaN, Number.NaN]

/** Writes `2026-11-20T10:00:00.000Z`. */
export function writeInstant(out: DataView, at: number, time: number): number {
  const minute = Math.floor(time / MINUTE_MS)
  if (minute !== textMinute) takeMinute(minute)
  const end = writeFixed(out, at, minuteText)
  const millis = time - minute * MINUTE_MS
  const seconds = (millis / 1000) | 0
  const rest = millis - seconds * 1000
  const hundreds = (rest / 100) | 0
  out.setUint16(end, PAIRS[seconds]!, true)
  out.setUint16(end + 2, DOT | ((ZERO + hundreds) << 8), true)
  out.setUint16(end + 4, PAIRS[rest - hundreds * 100]!, true)
  out.setUint8(end + 6, Z)
  return end + 7
}

const Z = 90

function takeMinute(minute: number): void {
  const day = Math.floor(minute / MINUTES_OF_DAY)
  if (day !== textDay) minuteBytes.write(formatInstant(day * DAY_MS).slice(0, DATE_BYTES))
  const ofDay = minute - day * MINUTES_OF_DAY
  const hours = (ofDay / 60) | 0
  writeTwo(minuteBytes, DATE_BYTES, hours)
  writeTwo(minuteBytes, DATE_BYTES + 3, ofDay - hours * 60)
  textDay = day
  textMinute = minute
}

function writeTwo(out: Uint8Array, at: number, value: number): void {
  out[at] = PAIRS[value]!
  out[at + 1] = PAIRS[value]! >>> 8
}
