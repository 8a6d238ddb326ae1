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
import {
  bodyTooLarge,
  type FeedRefusal,
  MAX_BATCH_BYTES,
  MAX_MESSAGE_BYTES,
  unreadable,
} from '../feed-refusal.ts'
import { answerByStatus, STATUS_REPLIES } from '../feed-reply.ts'
import { type DeviceTime, isFault, type PacketFault, type Row } from '../packet.ts'
import { type FeedRequest, type Format, firstByteAt, readBatch } from './format.ts'
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
} from './packet-fields.ts'

/**
 * The protocol of the Traccar Client app and many trackers: parameters in the query or in a form, or, since version 9 of
 * the app, the JSON of background_geolocation, with which many apps send batches. Other parameters are attributes.
 * https://www.traccar.org/osmand/ and https://transistorsoft.github.io/react-native-background-geolocation/
 */
export const osmand: Format = {
  name: 'osmand',
  methods: ['GET', 'POST'],
  maxBytes: MAX_BATCH_BYTES,
  read,
  answer: answerByStatus(STATUS_REPLIES),
}

const LEFT_BRACE = 0x7b
const LEFT_BRACKET = 0x5b

/** Look at the content, because clients are careless with `Content-Type`. */
function read(
  { query, body, client, isRouted = false }: FeedRequest,
  now: number,
): Row[] | FeedRefusal | Promise<Row[] | FeedRefusal> {
  const first = body[firstByteAt(body)]
  if (first === LEFT_BRACE || first === LEFT_BRACKET) {
    return readBatch(body, reportsIn, (report) => readReport(report, isRouted, now))
  }
  if (body.length > MAX_MESSAGE_BYTES) return bodyTooLarge(MAX_MESSAGE_BYTES)
  const parameters = query !== '' ? query : body.toString()
  if (parameters === '') return unreadable('No parameters were sent: id, lat and lon are required')
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

/** The app of OsmAnd and GPSLogger send the speed of Android's location: meters per second. */
const WITH_METRES_PER_SECOND = withSpeedFactor(PARAMETERS, KMH_IN_METRE_PER_SECOND)

/** The `hdop` of OsmAnd's app is the accuracy in meters. */
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
  ...['coords', 'timestamp', 'uuid', 'device_id', '_'],
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

/** A location, and the message that has it. */
type Report = { message: unknown; location: unknown }

/**
 * The locations of `{device_id, location}` and of lists of such messages. `location` and `locations` may be lists, of
 * locations or of `{location}`: so apps send batches. An app may also send a location without an object around it.
 */
function reportsIn(value: unknown): Report[] {
  const messages = Array.isArray(value) ? value : [value]
  return messages.flatMap((message): Report[] => {
    if (!isFields(message)) return [{ message, location: undefined }]
    const bare = 'coords' in message ? message : undefined
    const given = message.location ?? message.locations ?? bare
    return (Array.isArray(given) ? given : [given]).map((each) => {
      const location = isFields(each) && isFields(each.location) ? each.location : each
      return { message, location }
    })
  })
}

function readReport({ message, location }: Report, isRouted: boolean, now: number): Row {
  const row = readLocation(message, location, now)
  if (isRouted && !isFault(row)) row.sender = { device: null, attributes: message as Fields }
  return row
}

/** The apps of background_geolocation add it to the body, to each location, or to its `extras`. */
function idIn(part: unknown): unknown {
  return isFields(part) ? part.device_id : undefined
}

function readLocation(message: unknown, location: unknown, now: number): Row {
  if (!isFields(message)) return fault('bad_row', 'a message must be a JSON object', null)
  const id = idIn(message) ?? idIn(location) ?? idIn(isFields(location) ? location.extras : null)
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
