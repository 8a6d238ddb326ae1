import { parse } from 'node:querystring'
import { exactEntries } from '../../../base/domain/common/exact-json.ts'
import { switchIn } from '../../../base/domain/common/plain-text.ts'
import type { FeedClient } from '../../../base/domain/credential.ts'
import { valueOfText } from '../../../base/domain/position/attribute.ts'
import type { Given } from '../../../base/domain/position/attribute-section.ts'
import { KMH_IN_METRE_PER_SECOND } from '../../../base/domain/position/field.ts'
import {
  decimalText,
  jsonNumber,
  numbersIn,
  type SentNumber,
  withSpeedFactor,
} from '../../../base/domain/position/field-lists.ts'
import { type DeviceTime, isFault, type PacketFault, type Row } from '../packet.ts'
import {
  type FeedRefusal,
  MAX_MESSAGE_BYTES,
  MAX_ROWS,
  tooManyRows,
  unreadable,
} from '../refusal.ts'
import { answerByStatus, STATUS_REPLIES } from '../reply.ts'
import {
  type Fields,
  fault,
  isFields,
  missing,
  packetWithoutFix,
  readAttributes,
  readIdent,
  readIgnition,
  readMoment,
  readNumbers,
  readPlace,
} from './fields.ts'
import { type FeedRequest, type Format, firstByteAt, parseJson } from './format.ts'

/**
 * The protocol of the Traccar Client app and many trackers: parameters in the query or in a form, or,
 * since version 9 of the app, JSON. Other parameters are attributes. https://www.traccar.org/osmand/
 */
export const osmand: Format = {
  name: 'osmand',
  methods: ['GET', 'POST'],
  maxBytes: MAX_MESSAGE_BYTES,
  read,
  answer: answerByStatus(STATUS_REPLIES),
}

const LEFT_BRACE = 0x7b
const LEFT_BRACKET = 0x5b

/** Look at the content, because clients are careless with `Content-Type`. */
function read(
  { query, body, client, isRouted = false }: FeedRequest,
  now: number,
): Row[] | FeedRefusal {
  const first = body[firstByteAt(body)]
  if (first === LEFT_BRACE || first === LEFT_BRACKET) return readJson(body, isRouted, now)
  const parameters = query !== '' ? query : body.toString()
  if (parameters === '') return unreadable('There are no parameters: id, lat and lon are needed')
  const values = lastValues(parameters)
  const row = readParameters(values, client, now)
  if (isRouted && !isFault(row)) row.sender = { device: null, attributes: values }
  return [row]
}

/** If a parameter is repeated, the last one counts, as in Traccar. */
function lastValues(text: string): Fields {
  const values: Record<string, unknown> = parse(text)
  for (const name in values) {
    const value = values[name]
    if (typeof value !== 'string') values[name] = (value as string[]).at(-1)
    // A template without a value sends an empty parameter.
    if (values[name] === '') values[name] = undefined
  }
  return values
}

/** Parameters outside the protocol have the names and units of Traccar's attributes. */
const PARAMETERS = numbersIn('osmand')

/** The app of OsmAnd and GPSLogger send the speed of Android's location: metres per second. */
const WITH_METRES_PER_SECOND = withSpeedFactor(PARAMETERS, KMH_IN_METRE_PER_SECOND)

/** The `hdop` of OsmAnd's app is the accuracy in metres. */
const ACCURACY_AS_HDOP = PARAMETERS.flatMap((each) =>
  each.name === 'accuracy' ? [{ ...each, name: 'hdop' }] : [],
)

const PARAMETERS_OF: Readonly<Record<FeedClient, readonly SentNumber[]>> = {
  'traccar-client': PARAMETERS,
  'osmand-app': [
    ...WITH_METRES_PER_SECOND.filter(({ key }) => key !== 'hdop'),
    ...ACCURACY_AS_HDOP,
  ],
  gpslogger: WITH_METRES_PER_SECOND,
  owntracks: PARAMETERS,
}

function readParameters(given: Fields, client: FeedClient | null, now: number): Row {
  const name = given.id === undefined ? 'deviceid' : 'id'
  const ident = readIdent(given[name], given[name] === undefined ? 'id' : name)
  if (typeof ident === 'object') return ident
  const time = readTimestamp(given.timestamp, ident, now)
  if ('reason' in time) return time
  if (saysNo(given.valid)) return packetWithoutFix(ident, time, now)
  const place = given.location === undefined ? given : placeIn(given.location)
  const packet = readPlace(place, 'lat', 'lon', decimalText, ident, time, now)
  if ('reason' in packet) return packet
  readNumbers(packet, given, client === null ? PARAMETERS : PARAMETERS_OF[client])
  readIgnition(packet, given.ignition, 'ignition')
  readAttributes(packet, typed(given), KNOWN_PARAMETERS)
  return packet
}

/** The parameters that are fields, or that are read for them. */
const KNOWN_PARAMETERS = new Set([
  ...['id', 'deviceid', 'timestamp', 'valid', 'lat', 'lon', 'location', 'ignition'],
  ...PARAMETERS.map(({ name }) => name),
])

/** Parameters have no types. */
function* typed(given: Fields): Iterable<Given> {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') yield [name, valueOfText(value)]
  }
}

/** Both coordinates as `lat,lon`. */
function placeIn(location: unknown): Fields {
  const [lat, lon] = String(location).split(',')
  return { lat: lat?.trim(), lon: lon?.trim() }
}

/** An unescaped `+` arrives as a space. A packet without a timestamp gets its time of arrival. */
function readTimestamp(value: unknown, ident: string, now: number): DeviceTime | PacketFault {
  if (value === undefined) return { timeDevice: now, isLocalTime: false }
  const text = String(value).replace(/^([^\sT]+T\S+) (?=\d\d:?\d\d$)/, '$1+')
  return readMoment(text, 'timestamp', ident)
}

/** Everything but a clear yes is a no, as in Traccar. */
function saysNo(valid: unknown): boolean {
  return valid !== undefined && switchIn(valid) !== true
}

const COORDS = numbersIn('osmandCoords')
const LOCATION = numbersIn('osmandLocation')
/** The fields, what identifies the message, and `_`, which repeats them as parameters. */
const KNOWN_IN_LOCATION = new Set([
  ...['coords', 'timestamp', 'uuid', '_'],
  ...LOCATION.map(({ name }) => name),
])

/** The values of a location, and those of its parts, such as `battery.level`. */
function* flattened(location: Fields): Iterable<Given> {
  for (const [name, part] of exactEntries(location)) {
    if (KNOWN_IN_LOCATION.has(name)) continue
    if (!isFields(part)) yield [name, part]
    else for (const [inner, value] of exactEntries(part)) yield [`${name}.${inner}`, value]
  }
}

/** `{device_id, location}`. An app that was offline may send several locations as a list. */
function readJson(body: Buffer, isRouted: boolean, now: number): Row[] | FeedRefusal {
  const parsed = parseJson(body.toString())
  if (!('value' in parsed)) return parsed
  const rows: Row[] = []
  const messages = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
  for (const message of messages) {
    const given: unknown = isFields(message) ? message.location : undefined
    const locations = Array.isArray(given) ? given : [given]
    if (rows.length + locations.length > MAX_ROWS) return tooManyRows
    for (const location of locations) {
      const row = readLocation(message, location, now)
      if (isRouted && !isFault(row)) row.sender = { device: null, attributes: message as Fields }
      rows.push(row)
    }
  }
  return rows
}

function readLocation(message: unknown, location: unknown, now: number): Row {
  if (!isFields(message)) return fault('bad_row', 'a message must be a JSON object', null)
  const id = message.device_id
  const ident = readIdent(Number.isSafeInteger(id) ? String(id) : id, 'device_id')
  if (typeof ident === 'object') return ident
  if (!isFields(location)) return missing('location', ident)
  const time = readMoment(location.timestamp, 'location.timestamp', ident)
  if ('reason' in time) return time
  const coords = location.coords ?? {}
  if (!isFields(coords)) return missing('location.coords', ident)
  const packet = readPlace(coords, 'latitude', 'longitude', jsonNumber, ident, time, now)
  if ('reason' in packet) return packet
  readNumbers(packet, coords, COORDS)
  readNumbers(packet, location, LOCATION)
  readAttributes(packet, flattened(location), KNOWN_IN_LOCATION)
  return packet
}
