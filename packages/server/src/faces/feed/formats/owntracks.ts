import type { IncomingHttpHeaders } from 'node:http'
import { parse } from 'node:querystring'
import { exactEntries } from '../../../base/domain/common/exact-json.ts'
import { KMH_IN_METRE_PER_SECOND } from '../../../base/domain/position/field.ts'
import {
  jsonNumber,
  numbersIn,
  OWNTRACKS_NAMES,
  type SentNumber,
  withSpeedFactor,
} from '../../../base/domain/position/field-lists.ts'
import { type FeedRefusal, MAX_MESSAGE_BYTES, unreadable } from '../feed-refusal.ts'
import { answerByStatus, jsonReply, STATUS_REPLIES } from '../feed-reply.ts'
import { isFault, type Row } from '../packet.ts'
import { type FeedRequest, type Format, firstByteAt, parseJson } from './format.ts'
import {
  type Fields,
  isFields,
  readAttributes,
  readIdent,
  readIgnition,
  readMoment,
  readNumbers,
  readPlace,
} from './packet-fields.ts'

/**
 * OwnTracks in HTTP mode: one JSON message in a request. `_type: location` is a position.
 * https://owntracks.org/booklet/tech/http/ and https://owntracks.org/booklet/tech/json/
 */
export const owntracks: Format = {
  name: 'owntracks',
  methods: ['POST'],
  maxBytes: MAX_MESSAGE_BYTES,
  read,
  // Messages for the phone: none.
  answer: answerByStatus({ ...STATUS_REPLIES, taken: jsonReply(200, [], 'application/json') }),
}

/** Queclink trackers send the counters. */
const NUMBERS = numbersIn('owntracks')

/** GPSLogger fills its `%SPD`, which people write for `vel`, with meters per second. */
const NUMBERS_OF_GPSLOGGER = withSpeedFactor(NUMBERS, KMH_IN_METRE_PER_SECOND)

function read(
  { query, headers, body, client, isRouted = false }: FeedRequest,
  now: number,
): Row[] | FeedRefusal {
  // The app also posts an empty message, which deletes a friend on MQTT.
  if (firstByteAt(body) === -1) return []
  const parsed = parseJson(body.toString())
  if (!('value' in parsed)) return parsed
  const { value } = parsed
  if (!isFields(value)) return unreadable('The body must be a JSON object')
  const type = value._type
  if (typeof type !== 'string') return unreadable('_type must be text, such as location')
  // Acknowledging it would lose positions. The phone must keep them and show the error.
  if (type === 'encrypted')
    return unreadable('_type encrypted is not supported: clear the encryption key in the app')
  if (type !== 'location') return []
  const numbers = client === 'gpslogger' ? NUMBERS_OF_GPSLOGGER : NUMBERS
  const row = readLocation(value, nameOf(value, query, headers), numbers, now)
  if (isRouted && !isFault(row)) row.sender = { device: null, attributes: value }
  return [row]
}

/**
 * The phone's id: its `topic`, which holds user and device; else the topic made from the names next to the
 * body (headers in the app, parameters in Recorder's custom mode); else the two characters of `tid`.
 */
function nameOf(message: Fields, query: string, headers: IncomingHttpHeaders): unknown {
  if (message.topic !== undefined) return message.topic
  const parameters = query === '' ? {} : parse(query)
  const user = headers['x-limit-u'] ?? parameters.u
  const device = headers['x-limit-d'] ?? parameters.d
  if (typeof user === 'string' && typeof device === 'string') return `owntracks/${user}/${device}`
  return message.tid
}

function readLocation(
  message: Fields,
  name: unknown,
  numbers: readonly SentNumber[],
  now: number,
): Row {
  const ident = readIdent(name, 'topic or tid')
  if (typeof ident === 'object') return ident
  const time = readMoment(message.tst, 'tst', ident)
  if ('reason' in time) return time
  const packet = readPlace(message, 'lat', 'lon', jsonNumber, ident, time, now)
  if ('reason' in packet) return packet
  readNumbers(packet, message, numbers)
  readIgnition(packet, message.ign, 'ign')
  readAttributes(packet, exactEntries(message), OWNTRACKS_NAMES)
  return packet
}
