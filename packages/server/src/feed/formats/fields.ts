import type { SentNumber } from '../../domain/position/field-lists.ts'
import { bareFix, type Fix } from '../../domain/position/fix.ts'
import { OBJECT_RULES } from '../../domain/settings/object-settings.ts'
import { breach } from '../../domain/settings/rule.ts'
import { excerpt } from '../../domain/text/excerpt.ts'
import { isPlainText } from '../../domain/text/plain-text.ts'
import { isLocalTime, parseMoment } from '../../domain/time/moment.ts'
import type { DeviceTime, PacketFault } from '../packet.ts'

/** The value under a name in a JSON object or in parameters. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a field is absent. JSON uses null for that. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

/**
 * Reads the numbers in `fields` into a fix. Returns the first fault. Senders of formats other than Fleetgate's own use
 * a number below zero for "unknown", where it cannot be a value.
 */
export function readNumbers(
  fix: Fix,
  fields: Fields,
  numbers: readonly SentNumber[],
  numberIn: (value: unknown) => number | undefined,
  ident: string,
): PacketFault | undefined {
  for (let at = 0; at < numbers.length; at += 1) {
    const { name, key, factor, unknownBelowZero } = numbers[at]!
    const value = fields[name]
    if (value === undefined || value === null) continue
    const number = numberIn(value)
    if (number === undefined) return badNumber(name, ident)
    if (number < 0 && unknownBelowZero) continue
    fix[key] = number * factor
  }
  return undefined
}

/** A number in JSON. JSON has no infinity, but 1e999 is one. */
export function jsonNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

// Each digit can match in one way only. With two ways, millions of digits would be tried again and again.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** A number in a parameter. `Number` alone would take 0x10 and the empty text. */
export function decimalText(value: unknown): number | undefined {
  if (typeof value !== 'string' || !DECIMAL.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** A fix with only its time and place, or the fault in them. */
export function readFix(
  fields: Fields,
  latitudeName: string,
  longitudeName: string,
  numberIn: (value: unknown) => number | undefined,
  ident: string,
  timeDevice: number,
  now: number,
): Fix | PacketFault {
  const latitude = readCoordinate(fields, latitudeName, numberIn, ident)
  if (typeof latitude === 'object') return latitude
  const longitude = readCoordinate(fields, longitudeName, numberIn, ident)
  if (typeof longitude === 'object') return longitude
  return bareFix(timeDevice, now, latitude, longitude)
}

function readCoordinate(
  fields: Fields,
  name: string,
  numberIn: (value: unknown) => number | undefined,
  ident: string,
): number | PacketFault {
  const value = fields[name]
  if (isAbsent(value)) return missing(name, ident)
  return numberIn(value) ?? badNumber(name, ident)
}

/** Reads the device's id. A fault repeats the id only as far as it is safe to show. */
export function readIdent(value: unknown, name: string): string | PacketFault {
  if (isAbsent(value) || value === '') return missing(name, null)
  if (typeof value === 'string' && isIdent(value)) return value
  const shown = typeof value === 'string' ? excerpt(value) : null
  return fault('bad_ident', `${name} ${breach(OBJECT_RULES.ident, value)}`, shown)
}

/** A device sends the same id again and again, so the last valid one is not checked again. */
let lastIdent = ''

function isIdent(value: string): boolean {
  if (value === lastIdent) return true
  // Bytes that are not UTF-8 become the replacement character.
  if (!OBJECT_RULES.ident.holds(value) || value.includes('\ufffd')) return false
  lastIdent = value
  return true
}

/** Reads a time: ISO 8601 text, or seconds or milliseconds since the epoch. */
export function readMoment(value: unknown, name: string, ident: string): DeviceTime | PacketFault {
  if (isAbsent(value)) return missing(name, ident)
  const timeDevice = parseMoment(value)
  if (timeDevice !== undefined && Number.isSafeInteger(timeDevice)) {
    return { timeDevice, isLocalTime: isLocalTime(value) }
  }
  return fault(
    'bad_time',
    `${name} must be ISO 8601, or seconds or milliseconds since 1970: a moment that exists`,
    ident,
  )
}

/** Reads the ignition into a fix. Returns the fault, if any. */
export function readIgnition(
  fix: Fix,
  value: unknown,
  name: string,
  ident: string,
): PacketFault | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'boolean')
    return fault('bad_boolean', `${name} must be true or false`, ident)
  fix.ignition = value
  return undefined
}

/** Reads the address into a fix. Returns the fault, if any. */
export function readAddress(
  fix: Fix,
  value: unknown,
  name: string,
  ident: string,
): PacketFault | undefined {
  if (isAbsent(value) || value === '') return undefined
  if (typeof value !== 'string' || !isPlainText(value)) {
    return fault('bad_text', `${name} must be text in UTF-8 without control characters`, ident)
  }
  fix.address = value
  return undefined
}

export function missing(field: string, ident: string | null): PacketFault {
  return fault('missing_field', `${field} is missing`, ident)
}

export function badNumber(field: string, ident: string | null): PacketFault {
  return fault('bad_number', `${field} must be a decimal number`, ident)
}

export function fault(reason: string, message: string, ident: string | null): PacketFault {
  return { reason, message, ident }
}
