import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TimeRange } from '../store/store.ts'

const TIME_BYTES = 6
const SEAL_BYTES = 16

/** The scope of a cursor. It is valid for nothing else. */
export type CursorScope = { organization: number; object: string; range: TimeRange }

/**
 * A cursor: the `time_device` of the last row given, sealed with the deployment's secret. Any process can
 * open it, and nobody else can make one.
 */
export function sealCursor(secret: Buffer, scope: CursorScope, lastTime: number): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(lastTime, 0, TIME_BYTES)
  return Buffer.concat([time, sealOf(secret, scope, time)]).toString('base64url')
}

/** The sealed time. Undefined if the cursor was not made for this scope. */
export function openCursor(secret: Buffer, scope: CursorScope, text: string): number | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== TIME_BYTES + SEAL_BYTES || bytes.toString('base64url') !== text) {
    return undefined
  }
  const time = bytes.subarray(0, TIME_BYTES)
  return timingSafeEqual(bytes.subarray(TIME_BYTES), sealOf(secret, scope, time))
    ? time.readUIntBE(0, TIME_BYTES)
    : undefined
}

function sealOf(
  secret: Buffer,
  { organization, object, range }: CursorScope,
  time: Buffer,
): Buffer {
  return createHmac('sha256', secret)
    .update(`cursor ${organization} ${object} ${range.from} ${range.to} `)
    .update(time)
    .digest()
    .subarray(0, SEAL_BYTES)
}
