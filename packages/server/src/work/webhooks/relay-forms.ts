import { KMH_IN_KNOT } from '../../base/domain/position/field.ts'
import type { RelayForm, Webhook } from '../../base/domain/webhook.ts'
import { secretParts } from './answer-text.ts'
import type { Outgoing, OutgoingRequest, PublishedMessage } from './outgoing.ts'

/**
 * A position as a relay keeps it: a row of answers with `include=quality,exact`, and with `attributes` if the webhook
 * includes them. Speeds are in km/h.
 */
export type RelayedPosition = {
  readonly id: number
  readonly ident: string
  readonly name: string
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number | null
  readonly angle: number | null
  readonly speed: number | null
  readonly time_server: string
  readonly time_device: string
  readonly address: string | null
  readonly ignition: boolean | null
  readonly hdop: number | null
  readonly gps_level: number | null
  readonly accuracy: number | null
  readonly exact: { readonly odometer_mm: number | null; readonly engine_hours_ms: number | null }
  readonly attributes?: Readonly<Record<string, number | boolean | string>>
}

/** The requests or messages of positions. `credentials`: unsealed. */
export function relayed(
  form: RelayForm,
  { url }: Pick<Webhook, 'url'>,
  credentials: string | null,
  positions: readonly RelayedPosition[],
): Outgoing {
  const hidden = secretParts(url, credentials)
  if (form === 'mqtt') {
    return { url, hidden, credentials, messages: positions.map((each) => messageOf(url, each)) }
  }
  const requestOf = form === 'osmand' ? osmandRequest : traccarRequest
  const headers = { 'user-agent': 'Fleetgate-Relay', ...headerOf(credentials) }
  return { url, hidden, requests: positions.map((each) => requestOf(url, headers, each)) }
}

function headerOf(credentials: string | null): Record<string, string> {
  if (credentials === null) return {}
  const at = credentials.indexOf(': ')
  return { [credentials.slice(0, at)]: credentials.slice(at + 2) }
}

type Headers = OutgoingRequest['headers']
type Value = number | boolean | string | null

const MM_IN_METRE = 1_000

/** The fields of Traccar's attributes and their units: meters and milliseconds. */
function measured({ exact, hdop, gps_level, ignition }: RelayedPosition): Record<string, Value> {
  const odometer = exact.odometer_mm === null ? null : exact.odometer_mm / MM_IN_METRE
  return { hdop, sat: gps_level, ignition, odometer, hours: exact.engine_hours_ms }
}

function knotsOf(speed: number | null): number | null {
  return speed === null ? null : speed / KMH_IN_KNOT
}

/** Attributes of the catalogue that both protocols know by other names. */
const OSMAND_NAMES: Readonly<Record<string, string>> = {
  battery_level: 'batt',
  driver: 'driverUniqueId',
}
const TRACCAR_NAMES: Readonly<Record<string, string>> = {
  battery_level: 'batteryLevel',
  driver: 'driverUniqueId',
}

/** The attributes by the names of a protocol, without those that would be taken for something else. */
function renamed(
  { attributes = {} }: RelayedPosition,
  names: Readonly<Record<string, string>>,
  taken: readonly string[],
): Record<string, Value> {
  const named = Object.entries(attributes).map(([name, value]) => [names[name] ?? name, value])
  return Object.fromEntries(named.filter(([name]) => !taken.includes(name as string)))
}

/** Parameters that receivers read for the position. */
const OSMAND_TAKEN = ['id', 'deviceid', 'timestamp', 'valid', 'lat', 'lon', 'location']

/** https://www.traccar.org/osmand/: speed in knots. */
function osmandRequest(
  written: string,
  headers: Headers,
  position: RelayedPosition,
): OutgoingRequest {
  const url = new URL(written)
  const parameters = {
    ...renamed(position, OSMAND_NAMES, [...OSMAND_TAKEN, ...url.searchParams.keys()]),
    id: position.ident,
    timestamp: Date.parse(position.time_device),
    lat: position.latitude,
    lon: position.longitude,
    speed: knotsOf(position.speed),
    bearing: position.angle,
    altitude: position.altitude,
    accuracy: position.accuracy,
    ...measured(position),
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) url.searchParams.set(name, decimal(value))
  }
  return { method: 'GET', url: url.href, headers, body: null }
}

const DECIMALS = 9

/** Receivers may not read an exponent. */
function decimal(value: number | boolean | string): string {
  const text = String(value)
  if (typeof value !== 'number' || !text.includes('e')) return text
  return value.toFixed(DECIMALS)
}

/** https://www.traccar.org/forward/: the models `Position` and `Device`, without what is unknown. */
function traccarRequest(url: string, headers: Headers, position: RelayedPosition): OutgoingRequest {
  const { id, ident, name, latitude, longitude, time_device: time } = position
  const body = {
    position: withoutNulls({
      ...{ deviceId: id, protocol: 'fleetgate', valid: true, outdated: false },
      ...{ serverTime: position.time_server, deviceTime: time, fixTime: time },
      ...{ latitude, longitude, altitude: position.altitude, speed: knotsOf(position.speed) },
      ...{ course: position.angle, accuracy: position.accuracy, address: position.address },
      attributes: withoutNulls({ ...renamed(position, TRACCAR_NAMES, []), ...measured(position) }),
    }),
    device: { id, name, uniqueId: ident },
  }
  const json = { ...headers, 'content-type': 'application/json; charset=utf-8' }
  return { method: 'POST', url, headers: json, body: Buffer.from(JSON.stringify(body)) }
}

function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

const DEFAULT_TOPIC = 'fleetgate'

/** The path of the URL is the beginning of the topic. */
function messageOf(url: string, position: RelayedPosition): PublishedMessage {
  const prefix = new URL(url).pathname.replace(/^\/|\/$/g, '') || DEFAULT_TOPIC
  const topic = `${prefix}/${encodeURIComponent(position.ident)}`
  return { topic, payload: JSON.stringify(position) }
}
