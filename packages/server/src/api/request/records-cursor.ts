import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RecordType } from '../../store/change-entries.ts'
import type { RecordPlace } from '../../store/record-store.ts'
import type { RecordsQuery } from './records-query.ts'

const SEAL_BYTES = 16

/** The scope of a cursor. It is valid for nothing else. */
export type RecordsScope = { organization: number; type: RecordType; asked: RecordsQuery }

/** A cursor: the place of the last record given, sealed with the deployment's secret. */
export function sealRecordsCursor(
  secret: Buffer,
  scope: RecordsScope,
  { object, start, kind, place }: RecordPlace,
): string {
  const text = Buffer.from(JSON.stringify([object, start, kind, place]))
  return Buffer.concat([sealOf(secret, scope, text), text]).toString('base64url')
}

/** Undefined if the cursor was not made for this scope. */
export function openRecordsCursor(
  secret: Buffer,
  scope: RecordsScope,
  sealed: string,
): RecordPlace | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== sealed) return undefined
  const text = bytes.subarray(SEAL_BYTES)
  if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(secret, scope, text))) return undefined
  const [object, start, kind, place] = JSON.parse(text.toString())
  return { object, start, kind, place }
}

function sealOf(secret: Buffer, { organization, type, asked }: RecordsScope, text: Buffer): Buffer {
  const { range, ids, geofences, sites, minDurationSeconds } = asked
  const selection = JSON.stringify([range, ids, geofences, sites, minDurationSeconds])
  return createHmac('sha256', secret)
    .update(`records ${organization} ${type} ${selection} `)
    .update(text)
    .digest()
    .subarray(0, SEAL_BYTES)
}
