import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { TimeRange } from '../../domain/time/time.ts'
import { COLUMNS } from './attributes.ts'
import { HISTORY_LIMIT, STEP_OF_PAGES } from './numbers.ts'
import { OBJECT_ID } from './object-ids.ts'
import { CURSOR } from './page-cursor.ts'
import { type Asked, parameterSet } from './parameter.ts'
import { TIME_RANGE } from './time-range.ts'

/** The parameters of a history, with its cursor still sealed. */
export const HISTORY = parameterSet(
  {
    id: OBJECT_ID,
    range: TIME_RANGE,
    stepMs: STEP_OF_PAGES,
    columns: COLUMNS,
    limit: HISTORY_LIMIT,
    cursor: CURSOR,
  },
  ['id', 'range', 'limit', 'cursor', 'stepMs', 'columns'],
)
export type HistoryQuery = Asked<typeof HISTORY>

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
