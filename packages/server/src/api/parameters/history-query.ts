import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { DAY_MS, parseDate, parseInstant } from '../../domain/time/time.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { HistoryLimits } from '../api.ts'
import type { Columns } from '../encode/formats/position-form.ts'
import {
  fromTimeRequired,
  invalidCursor,
  invalidLimit,
  invalidTime,
  limitAboveMaximum,
  outOfRange,
  type Refusal,
  rangeAboveMaximum,
  rangeReversed,
  repeatedParameter,
  type TimeParameter,
  toTimeRequired,
} from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { readColumns } from './columns.ts'
import { readStep } from './step.ts'

/** The parameters of a history request, with its cursor still sealed. */
export type HistoryQuery = {
  range: TimeRange
  limit: number | null
  /** Null: every row. */
  stepMs: number | null
  cursor: string | undefined
  columns: Columns
}

const PARAMETERS = ['from_time', 'to_time', 'limit', 'cursor', 'step']
/** A page of rows by step is read before it is sent. */
const MAX_STEPPED_ROWS = 10_000
const EARLIEST = 0
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const POSITIVE_DIGITS = /^0*[1-9][0-9]*$/

/**
 * Reads the parameters in the order in which they are refused: first whether start and end are present,
 * then their values. An empty one counts as missing.
 */
export function readHistoryQuery(query: Query, limits: HistoryLimits): HistoryQuery | Refusal {
  const range = readTimeRange(query, PARAMETERS, limits)
  if ('status' in range) return range
  const limit = readLimit(query.get('limit')?.[0], limits)
  if (limit !== null && typeof limit !== 'number') return limit
  const stepMs = readStep(query)
  if (stepMs !== null && typeof stepMs !== 'number') return stepMs
  if (stepMs !== null && limit !== null && limit > MAX_STEPPED_ROWS) {
    return outOfRange('limit', String(limit), 1, MAX_STEPPED_ROWS)
  }
  const columns = readColumns(query)
  if ('status' in columns) return columns
  const cursor = query.get('cursor')?.[0]
  return cursor === '' ? invalidCursor : { range, limit, stepMs, cursor, columns }
}

/**
 * Reads `from_time` and `to_time`, which are required. `single`: the parameters of the operation that may be
 * given only once, and these two.
 */
export function readTimeRange(
  query: Query,
  single: readonly string[],
  limits: HistoryLimits,
): TimeRange | Refusal {
  if (!isPresent(query, 'from_time')) return fromTimeRequired
  if (!isPresent(query, 'to_time')) return toTimeRequired
  for (const name of single) {
    if ((query.get(name)?.length ?? 0) > 1) return repeatedParameter(name)
  }
  return readRange(query, limits)
}

function isPresent(query: Query, name: TimeParameter): boolean {
  return query.get(name)?.some((value) => value !== '') ?? false
}

/** Both ends included. A date means its first millisecond as the start, and its last as the end. */
function readRange(query: Query, { maxHistoryDays }: HistoryLimits): TimeRange | Refusal {
  const fromText = query.get('from_time')![0]!
  const toText = query.get('to_time')![0]!
  const fromDate = parseDate(fromText)
  const toDate = parseDate(toText)
  const from = fromDate ?? parseInstant(fromText)
  if (from === undefined) return invalidTime('from_time', fromText)
  const to = toDate === undefined ? parseInstant(toText) : toDate + DAY_MS - 1
  if (to === undefined) return invalidTime('to_time', toText)
  if (from > to) return rangeReversed
  if (maxHistoryDays !== null && to - from > maxHistoryDays * DAY_MS) {
    return rangeAboveMaximum(maxHistoryDays)
  }
  // Fixes have whole milliseconds: a start in between begins at the later one, an end in between ends at
  // the earlier one. An offset can lead beyond the years that a fix can have and a link can write.
  return { from: Math.max(Math.ceil(from), EARLIEST), to: Math.min(Math.floor(to), LATEST) }
}

function readLimit(
  text: string | undefined,
  { maxHistoryRows }: HistoryLimits,
): number | null | Refusal {
  if (text === undefined || text === '') return null
  if (!POSITIVE_DIGITS.test(text)) return invalidLimit(text)
  const limit = Number(text)
  if (maxHistoryRows !== null && limit > maxHistoryRows) return limitAboveMaximum(maxHistoryRows)
  // More rows than can be counted are all rows.
  return Number.isSafeInteger(limit) ? limit : null
}

const TIME_BYTES = 6
const SEAL_BYTES = 16

/** The request that a cursor continues. The cursor is valid for no other. */
export type PagedHistory = { organization: number; object: string; range: TimeRange }

/**
 * A cursor: the `time_device` of the last row given, sealed with the deployment's secret. Any process can
 * open it, and nobody else can make one.
 */
export function sealCursor(secret: KeyObject, paged: PagedHistory, lastTime: number): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(lastTime, 0, TIME_BYTES)
  return Buffer.concat([time, sealOf(secret, paged, time)]).toString('base64url')
}

/** The sealed time. Undefined if the cursor was made for another request. */
export function openCursor(
  secret: KeyObject,
  paged: PagedHistory,
  text: string,
): number | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== TIME_BYTES + SEAL_BYTES || bytes.toString('base64url') !== text) {
    return undefined
  }
  const time = bytes.subarray(0, TIME_BYTES)
  return timingSafeEqual(bytes.subarray(TIME_BYTES), sealOf(secret, paged, time))
    ? time.readUIntBE(0, TIME_BYTES)
    : undefined
}

function sealOf(
  secret: KeyObject,
  { organization, object, range }: PagedHistory,
  time: Buffer,
): Buffer {
  return createHmac('sha256', secret)
    .update(`cursor ${organization} ${object} ${range.from} ${range.to} `)
    .update(time)
    .digest()
    .subarray(0, SEAL_BYTES)
}
