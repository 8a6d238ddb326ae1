import { exactEntries } from '../../../base/domain/common/exact-json.ts'
import { OBJECT_RULES } from '../../../base/domain/monitored-object.ts'
import { jsonNumber, numbersIn } from '../../../base/domain/position/field-lists.ts'
import { type FeedRefusal, MAX_MESSAGE_BYTES, unreadable } from '../feed-refusal.ts'
import { answerByStatus, STATUS_REPLIES } from '../feed-reply.ts'
import { isFault, type Packet, type Row } from '../packet.ts'
import { type FeedRequest, type Format, parseJson } from './format.ts'
import {
  type Fields,
  isAbsent,
  isFields,
  packetWithoutFix,
  readAddress,
  readAttributes,
  readIdent,
  readIgnition,
  readMoment,
  readNumbers,
  readPlace,
} from './packet-fields.ts'

/**
 * The forwarding of a Traccar server with `forward.type=json`: one `{position, device}` in a request.
 * Units as in Traccar's `Position` model. https://www.traccar.org/forward/
 */
export const traccar: Format = {
  name: 'traccar',
  methods: ['POST'],
  maxBytes: MAX_MESSAGE_BYTES,
  read,
  answer: answerByStatus(STATUS_REPLIES),
}

const POSITION = numbersIn('traccar')

/**
 * `totalDistance` is ignored: Traccar calculates it. For a device that sends `odometer` only now and
 * then, the odometer would seem to jump between the two.
 */
const ATTRIBUTES = numbersIn('traccarAttributes')
/** The attributes that are fields. */
const KNOWN = new Set(['ignition', ...ATTRIBUTES.map(({ name }) => name)])

function read({ body, isRouted = false }: FeedRequest, now: number): Row[] | FeedRefusal {
  const parsed = parseJson(body.toString())
  if (!('value' in parsed)) return parsed
  const { value } = parsed
  if (!isFields(value)) return unreadable('The body must be a JSON object {position, device}')
  const { position, device } = value
  if (!isFields(device)) return unreadable('device must be a JSON object with uniqueId')
  if (!isFields(position)) return unreadable('position must be a JSON object')
  const row = readPosition(position, device, now)
  if (isRouted && !isFault(row)) row.sender = { device, attributes: attributesOf(position) }
  return [row]
}

/** Reads a position with the names and units of Traccar's `Position`. `now`: when it was received, ms since the epoch. */
export function readPosition(position: Fields, device: Fields, now: number): Row {
  const ident = readIdent(device.uniqueId, 'device.uniqueId')
  if (typeof ident === 'object') return ident
  const time = readTime(position, ident)
  if ('reason' in time) return time
  if (!hasFix(position)) return packetWithoutFix(ident, time, now)
  const packet = readPlace(position, 'latitude', 'longitude', jsonNumber, ident, time, now)
  if ('reason' in packet) return packet
  const attributes = attributesOf(position)
  readNumbers(packet, position, POSITION)
  readNumbers(packet, attributes, ATTRIBUTES)
  readIgnition(packet, attributes.ignition, 'attributes.ignition')
  readAttributes(packet, exactEntries(attributes), KNOWN)
  readName(packet, device.name)
  readAddress(packet, position.address, 'address')
  return packet
}

/** Traccar names a device after its id until somebody gives it a name. */
function readName(packet: Packet, name: unknown): void {
  if (typeof name === 'string' && OBJECT_RULES.name.holds(name)) packet.name = name
}

function attributesOf({ attributes }: Fields): Fields {
  return isFields(attributes) ? attributes : {}
}

/** `fixTime` identifies a fix. `deviceTime` is when the device reported it. */
function readTime(position: Fields, ident: string) {
  const name = isAbsent(position.fixTime) ? 'deviceTime' : 'fixTime'
  return readMoment(position[name], isAbsent(position[name]) ? 'fixTime' : name, ident)
}

/** `outdated`: the device sent no position, so Traccar repeated the last one. */
function hasFix(position: Fields): boolean {
  return position.valid !== false && position.outdated !== true
}
