import { exactEntries } from '../../../base/domain/common/exact-json.ts'
import type { Given } from '../../../base/domain/position/attribute-section.ts'
import { jsonNumber, numbersIn } from '../../../base/domain/position/field-lists.ts'
import { type FeedRefusal, MAX_BATCH_BYTES, unreadable } from '../feed-refusal.ts'
import { answerByStatus, jsonReply, STATUS_REPLIES } from '../feed-reply.ts'
import { isFault, type Row } from '../packet.ts'
import { type FeedRequest, type Format, readBatch } from './format.ts'
import {
  type Fields,
  fault,
  isFields,
  readAttributes,
  readIdent,
  readMoment,
  readNumbers,
  readPlace,
} from './packet-fields.ts'

/**
 * The Overland app: a batch of GeoJSON points in `locations`. Its `current` comes again in a later batch, and its `trip`
 * is a sum of positions. https://github.com/aaronpk/Overland-iOS#api
 */
export const overland: Format = {
  name: 'overland',
  methods: ['POST'],
  maxBytes: MAX_BATCH_BYTES,
  read: ({ body, isRouted = false }: FeedRequest, now) =>
    readBatch(body, featuresIn, (feature) => readFeature(feature, isRouted, now)),
  // After any other answer the app keeps the batch, and sends it again.
  answer: answerByStatus({ ...STATUS_REPLIES, taken: jsonReply(200, { result: 'ok' }) }),
}

const NUMBERS = numbersIn('overland')

/** The fields, and what identifies the phone and the request. */
const KNOWN = new Set([
  ...['timestamp', 'device_id', 'unique_id', 'locations_in_payload'],
  ...NUMBERS.map(({ name }) => name),
])

/** The features that are positions. The app also sends the ends of trips, and visits that the phone concluded. */
function featuresIn(value: unknown): unknown[] | FeedRefusal {
  const locations = isFields(value) ? value.locations : undefined
  if (!Array.isArray(locations)) return unreadable('locations must be a list of GeoJSON points')
  return locations.filter((feature) => {
    const { type, action } = propertiesOf(feature)
    return type !== 'trip' && action === undefined
  })
}

function propertiesOf(feature: unknown): Fields {
  return isFields(feature) && isFields(feature.properties) ? feature.properties : {}
}

function readFeature(feature: unknown, isRouted: boolean, now: number): Row {
  if (!isFields(feature)) return fault('bad_row', 'a location must be a JSON object', null)
  const properties = propertiesOf(feature)
  // The app leaves the first one empty unless somebody sets it.
  const { device_id: id, unique_id: unique } = properties
  const ident = readIdent(id === undefined || id === '' ? (unique ?? id) : id, 'device_id')
  if (typeof ident === 'object') return ident
  const time = readMoment(properties.timestamp, 'timestamp', ident)
  if ('reason' in time) return time
  const { coordinates } = isFields(feature.geometry) ? feature.geometry : {}
  const [longitude, latitude] = Array.isArray(coordinates) ? coordinates : []
  const place = { latitude, longitude }
  const packet = readPlace(place, 'latitude', 'longitude', jsonNumber, ident, time, now)
  if ('reason' in packet) return packet
  readNumbers(packet, properties, NUMBERS)
  readAttributes(packet, valuesIn(properties), KNOWN)
  if (isRouted && !isFault(packet)) packet.sender = { device: null, attributes: properties }
  return packet
}

/** The app writes a list of motions, and an empty text for a network that it does not know. */
function* valuesIn(properties: Fields): Iterable<Given> {
  for (const [name, value] of exactEntries(properties)) {
    if (value !== '') yield [name, Array.isArray(value) ? value.join(',') : value]
  }
}
