import { excerpt, isPlainText, switchIn } from '../../../base/domain/common/plain-text.ts'
import { OBJECT_RULES } from '../../../base/domain/monitored-object.ts'
import { collected, type Given } from '../../../base/domain/position/attribute-section.ts'
import { numbersIn, type SentNumber, sentValue } from '../../../base/domain/position/field-lists.ts'
import { bareFix, FIX_LIMITS } from '../../../base/domain/position/fix.ts'
import { FIELDS } from '../../../base/domain/position/position-fields.ts'
import { breach } from '../../../base/domain/setting-rule.ts'
import { isLocalTime, parseMoment } from '../../../base/domain/time/moment.ts'
import type { DeviceTime, Packet, PacketFault } from '../packet.ts'

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
 * Reads the numbers in `fields` into the fix of a packet. A value that cannot be read, or that no vehicle can have,
 * stays unknown and loses nothing else: the packet names it.
 */
export function readNumbers(packet: Packet, fields: Fields, numbers: readonly SentNumber[]): void {
  for (let at = 0; at < numbers.length; at += 1) {
    const sent = numbers[at]!
    const value = sentValue(fields[sent.name], sent)
    if (value === null) continue
    if (value === undefined) noteUnread(packet, sent.name)
    else packet.fix[sent.key] = value
  }
}

/** Notes that a value of a packet counts as unknown. `name`: the format's name of its field. */
export function noteUnread(packet: Packet, name: string): void {
  if (packet.unread === undefined) packet.unread = [name]
  else packet.unread.push(name)
}

/**
 * A packet with only its time and place, or the fault in them. Without both coordinates it is a sign of life:
 * `packetWithoutFix`.
 */
export function readPlace(
  fields: Fields,
  latitudeName: string,
  longitudeName: string,
  numberIn: (value: unknown) => number | undefined,
  ident: string,
  time: DeviceTime,
  now: number,
): Packet | PacketFault {
  if (isAbsent(fields[latitudeName]) && isAbsent(fields[longitudeName])) {
    return packetWithoutFix(ident, time, now)
  }
  const latitude = readCoordinate(fields, latitudeName, numberIn, ident)
  if (typeof latitude === 'object') return latitude
  const longitude = readCoordinate(fields, longitudeName, numberIn, ident)
  if (typeof longitude === 'object') return longitude
  const { timeDevice, isLocalTime } = time
  return { ident, fix: bareFix(timeDevice, now, latitude, longitude), isLocalTime }
}

/**
 * The packet of a device that is alive but has no position: 0,0, as receivers report it. It counts as a
 * sign of life and is rejected as `no_fix`. A fault would mean that the sender made a mistake.
 */
export function packetWithoutFix(
  ident: string,
  { timeDevice, isLocalTime }: DeviceTime,
  timeServer: number,
): Packet {
  return { ident, fix: bareFix(timeDevice, timeServer, 0, 0), isLocalTime }
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

/** Reads the ignition into the fix of a packet. What is not a switch stays unknown. */
export function readIgnition(packet: Packet, value: unknown, name: string): void {
  if (isAbsent(value) || value === '') return
  const ignition = switchIn(value)
  if (ignition === undefined) noteUnread(packet, name)
  else packet.fix.ignition = ignition
}

/** Reads the address into the fix of a packet. */
export function readAddress(packet: Packet, value: unknown, name: string): void {
  if (isAbsent(value) || value === '') return
  const isAddress =
    typeof value === 'string' &&
    isPlainText(value) &&
    Buffer.byteLength(value) <= FIX_LIMITS.addressBytes
  if (isAddress) packet.fix.address = value
  else noteUnread(packet, name)
}

export function missing(field: string, ident: string | null): PacketFault {
  return fault('missing_field', `${field} is missing`, ident)
}

function badNumber(field: string, ident: string | null): PacketFault {
  return fault('bad_number', `${field} must be a decimal number`, ident)
}

export function fault(reason: string, message: string, ident: string | null): PacketFault {
  return { reason, message, ident }
}

/** The lost values of a packet that are noted: the first ones. */
const MAX_LOST = 20

/**
 * Reads all values but those of the `known` names into the attributes of a packet's fix. Values that are nested, too
 * long or too many are lost: the packet names them. Ignition, HDOP and satellites under another name become the fields
 * that they are, if the packet does not have them.
 */
export function readAttributes(
  packet: Packet,
  given: Iterable<Given>,
  known: ReadonlySet<string>,
): void {
  const others: Given[] = []
  for (const each of given) {
    const [name, value] = each
    if (known.has(name) || isAbsent(value)) continue
    const field = OTHER_NAMES.get(name.toLowerCase())
    if (field === undefined) others.push(each)
    else readField(packet, value, field)
  }
  if (others.length === 0) return
  packet.fix.attributes = collected(others, (name) => noteLost(packet, name))
}

function noteLost(packet: Packet, name: string): void {
  if (packet.lost === undefined) packet.lost = [excerpt(name)]
  else if (packet.lost.length < MAX_LOST) packet.lost.push(excerpt(name))
}

type OtherField = SentNumber | 'ignition'

/** Names of known fields in small letters, for devices that send them as they like. */
const OTHER_NAMES: ReadonlyMap<string, OtherField> = new Map([
  ...['ignition', 'ign', ...FIELDS.ignition.headings].map((name): [string, OtherField] => [
    name,
    'ignition',
  ]),
  ...numbersIn('native').flatMap((number) => {
    if (number.field !== 'gps_level' && number.field !== 'hdop') return []
    const names = [number.field, ...FIELDS[number.field].headings]
    return names.map((name): [string, OtherField] => [name, { ...number, unknownBelowZero: true }])
  }),
])

function readField(packet: Packet, value: unknown, field: OtherField): void {
  if (field === 'ignition') {
    if (packet.fix.ignition === null) readIgnition(packet, value, field)
  } else if (packet.fix[field.key] === null) {
    readNumbers(packet, { [field.name]: value }, [field])
  }
}
