import type { Row } from '../packet.ts'
import { type FeedRefusal, MAX_ROWS, tooManyRows, unreadable } from '../refusal.ts'
import {
  fault,
  isFields,
  jsonNumber,
  type Measure,
  readAddress,
  readFix,
  readIdent,
  readIgnition,
  readMeasures,
  readMoment,
} from './fields.ts'
import type { FeedRequest, Format } from './format.ts'
import { firstByte, intricacyRefusal, parseBody } from './json-body.ts'

/** Fleetgate's own format: a JSON array of rows, or NDJSON, in the units of `Fix`. */
export const native: Format = {
  name: 'positions',
  methods: ['POST'],
  read,
  answer: 'rows',
}

const MEASURES: readonly Measure[] = [
  own('altitude', 'altitude'),
  own('angle', 'angle'),
  own('speed', 'speed'),
  own('hdop', 'hdop'),
  own('satellites', 'gpsLevel'),
  own('gps_level', 'gpsLevel'),
  own('odometer', 'odometer'),
  own('engine_hours', 'engineHours'),
]

function own(name: string, key: Measure['key']): Measure {
  return { name, key, factor: 1, unknownBelowZero: false }
}

const LEFT_BRACKET = 0x5b

function read({ body }: FeedRequest, now: number): Row[] | FeedRefusal {
  const first = firstByte(body)
  if (first === -1) return unreadable('The body is empty: it must be a JSON array or NDJSON')
  return first === LEFT_BRACKET ? readArray(body, now) : readLines(body, now)
}

function readArray(body: Buffer, now: number): Row[] | FeedRefusal {
  const parsed = parseBody(body)
  if (!('value' in parsed)) return parsed
  const values = parsed.value as unknown[]
  if (values.length > MAX_ROWS) return tooManyRows
  const rows = new Array<Row>(values.length)
  for (let at = 0; at < values.length; at += 1) rows[at] = readRow(values[at], now)
  return rows
}

/** Most lines of a body, blank ones among them. */
const MAX_LINES = 10 * MAX_ROWS

/** Blank lines are no rows. */
function readLines(body: Buffer, now: number): Row[] | FeedRefusal {
  const refusal = intricacyRefusal(body)
  if (refusal !== undefined) return refusal
  const text = body.toString()
  const rows: Row[] = []
  let lines = 0
  for (let start = 0; start < text.length; ) {
    lines += 1
    if (lines > MAX_LINES) return tooManyRows
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const line = text.slice(start, end)
    start = end + 1
    if (line.trim() === '') continue
    if (rows.length === MAX_ROWS) return tooManyRows
    rows.push(readLine(line, now))
  }
  return rows
}

function readLine(line: string, now: number): Row {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return fault('bad_json', 'the line is not whole JSON', null)
  }
  return readRow(value, now)
}

function readRow(row: unknown, now: number): Row {
  if (!isFields(row)) return fault('bad_row', 'a row must be a JSON object', null)
  const ident = readIdent(row.ident, 'ident')
  if (typeof ident === 'object') return ident
  const timeDevice = readMoment(row.time_device, 'time_device', ident)
  if (typeof timeDevice === 'object') return timeDevice
  const fix = readFix(row, 'latitude', 'longitude', jsonNumber, ident, timeDevice, now)
  if ('reason' in fix) return fix
  return (
    readMeasures(fix, row, MEASURES, jsonNumber, ident) ??
    readIgnition(fix, row.ignition, 'ignition', ident) ??
    readAddress(fix, row.address, 'address', ident) ?? { ident, fix }
  )
}
