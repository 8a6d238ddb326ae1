import { exactEntries, parseExactly } from '../../../base/domain/common/exact-json.ts'
import { takeTurn } from '../../../base/domain/common/slots.ts'
import { jsonNumber, numbersIn } from '../../../base/domain/position/field-lists.ts'
import { REJECT_REASONS } from '../../../engine/tracking/rules/judge.ts'
import {
  type FeedRefusal,
  MAX_ATTRIBUTES,
  MAX_BODY_BYTES,
  MAX_ROWS,
  tooManyAttributes,
  tooManyRows,
  unreadable,
} from '../feed-refusal.ts'
import { type FeedReply, jsonReply, type OutcomeCounts } from '../feed-reply.ts'
import {
  attributesIn,
  isFault,
  type Packet,
  type Row,
  type RowOutcome,
  unreadIn,
} from '../packet.ts'
import {
  arraySliceEnd,
  type FeedRequest,
  type Format,
  firstByteAt,
  lineSliceEnd,
  parseJson,
  SLICE_BYTES,
} from './format.ts'
import {
  fault,
  isAbsent,
  isFields,
  noteUnread,
  readAddress,
  readAttributes,
  readIdent,
  readIgnition,
  readMoment,
  readNumbers,
  readPlace,
} from './packet-fields.ts'

/** Fleetgate's own format: a JSON array of rows, or NDJSON, in the units of `Fix`. */
export const native: Format = {
  name: 'positions',
  methods: ['POST'],
  maxBytes: MAX_BODY_BYTES,
  read,
  answer,
}

const NUMBERS = numbersIn('native')

const LEFT_BRACKET = 0x5b
const COMMA = 0x2c

/** Reads a slice of a body from `from` on into `rows`. Returns the start of the next slice. */
type ReadSlice = (body: Buffer, from: number, rows: Row[], reading: Reading) => number | FeedRefusal
type Reading = { isRouted: boolean; now: number }

function read(
  { body, isRouted = false }: FeedRequest,
  now: number,
): Row[] | FeedRefusal | Promise<Row[] | FeedRefusal> {
  const first = firstByteAt(body)
  if (first === -1) return unreadable('The body is empty: it must be a JSON array or NDJSON')
  const isArray = body[first] === LEFT_BRACKET
  const readSlice = isArray ? readArraySlice : readLineSlice
  const rows: Row[] = []
  const reading = { isRouted, now }
  const next = readSlice(body, isArray ? first + 1 : 0, rows, reading)
  if (typeof next === 'object') return next
  return next === body.length ? rows : readOn(body, next, readSlice, rows, reading)
}

/** Reads the remaining slices of a long body. */
async function readOn(
  body: Buffer,
  from: number,
  readSlice: ReadSlice,
  rows: Row[],
  reading: Reading,
): Promise<Row[] | FeedRefusal> {
  let attributes = attributesIn(rows)
  for (let at = from; at < body.length; ) {
    await takeTurn()
    const before = rows.length
    const next = readSlice(body, at, rows, reading)
    if (typeof next === 'object') return next
    attributes += attributesIn(rows, before)
    if (attributes > MAX_ATTRIBUTES) return tooManyAttributes
    at = next
  }
  return rows
}

/** A slice becomes an array of its own: add the missing brackets. */
function readArraySlice(
  body: Buffer,
  from: number,
  rows: Row[],
  reading: Reading,
): number | FeedRefusal {
  const end = arraySliceEnd(body, from)
  if (end === undefined)
    return unreadable(`The body must have rows of at most ${SLICE_BYTES} bytes`)
  const text = `[${body.toString('utf8', from, end)}`
  const parsed = parseJson(end < body.length ? `${text.slice(0, -1)}]` : text)
  if (!('value' in parsed)) return parsed
  const values = parsed.value as unknown[]
  // A row must follow a comma.
  if (values.length === 0 && body[from - 1] === COMMA) {
    return unreadable('The body must be JSON: its array ends with a comma')
  }
  if (rows.length + values.length > MAX_ROWS) return tooManyRows
  for (const value of values) rows.push(readRow(value, reading))
  return end
}

/** Skip blank lines. */
function readLineSlice(
  body: Buffer,
  from: number,
  rows: Row[],
  reading: Reading,
): number | FeedRefusal {
  const end = lineSliceEnd(body, from)
  const text = body.toString('utf8', from, end)
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const lineEnd = found === -1 ? text.length : found
    const line = text.slice(start, lineEnd)
    start = lineEnd + 1
    if (line.trim() === '') continue
    if (rows.length === MAX_ROWS) return tooManyRows
    rows.push(readLine(line, reading))
  }
  return end
}

function readLine(line: string, reading: Reading): Row {
  if (line.length > SLICE_BYTES) {
    return fault('bad_row', `a row must have at most ${SLICE_BYTES} bytes`, null)
  }
  let value: unknown
  try {
    value = parseExactly(line)
  } catch {
    return fault('bad_json', 'the line is incomplete JSON', null)
  }
  return readRow(value, reading)
}

function readRow(row: unknown, { isRouted, now }: Reading): Row {
  if (!isFields(row)) return fault('bad_row', 'a row must be a JSON object', null)
  const ident = readIdent(row.ident, 'ident')
  if (typeof ident === 'object') return ident
  const time = readMoment(row.time_device, 'time_device', ident)
  if ('reason' in time) return time
  const packet = readPlace(row, 'latitude', 'longitude', jsonNumber, ident, time, now)
  if ('reason' in packet) return packet
  readNumbers(packet, row, NUMBERS)
  readIgnition(packet, row.ignition, 'ignition')
  if (!isAbsent(row.attributes)) readBag(packet, row.attributes)
  readAddress(packet, row.address, 'address')
  if (isRouted) packet.sender = { device: null, attributes: row }
  return packet
}

const NONE: ReadonlySet<string> = new Set()

function readBag(packet: Packet, attributes: unknown): void {
  if (isFields(attributes)) readAttributes(packet, exactEntries(attributes), NONE)
  else noteUnread(packet, 'attributes')
}

/** Counts the rows by outcome, and lists each one that was rejected, or of which something was not read. */
function answer(
  rows: readonly Row[],
  outcomes: readonly RowOutcome[],
  tally: OutcomeCounts,
): FeedReply {
  const rejects: object[] = []
  const unread: object[] = []
  for (let index = 0; index < outcomes.length; index += 1) {
    const outcome = outcomes[index]!
    const row = rows[index]!
    if (typeof outcome !== 'string') {
      const { reason, message } = outcome
      rejects.push({ index, ident: row.ident, reason, message })
    } else if (!isFault(row)) {
      const fields = unreadIn(row)
      if (fields !== undefined) unread.push({ index, ident: row.ident, fields })
      for (const [limit, names] of Object.entries(row.dropped ?? {})) {
        const message = REJECT_REASONS[limit]
        unread.push({ index, ident: row.ident, fields: names, message })
      }
    }
  }
  const all = unread.length === 0 ? { ...tally, rejects } : { ...tally, rejects, unread }
  return jsonReply(200, { statusCode: 200, result: all })
}
