import { createHmac, timingSafeEqual } from 'node:crypto'

const SEAL_BYTES = 16

/**
 * A cursor: the place of the last row given, sealed with the deployment's secret. Any process can open it, and
 * nobody else can make one. `scope` names all that it belongs to.
 */
export function sealPlace(secret: Buffer, scope: string, place: readonly number[]): string {
  const text = Buffer.from(JSON.stringify(place))
  return Buffer.concat([sealOf(secret, scope, text), text]).toString('base64url')
}

/** Undefined if the cursor was not made for this scope. */
export function openPlace(secret: Buffer, scope: string, sealed: string): number[] | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== sealed) return undefined
  const text = bytes.subarray(SEAL_BYTES)
  if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(secret, scope, text))) return undefined
  return JSON.parse(text.toString())
}

function sealOf(secret: Buffer, scope: string, text: Buffer): Buffer {
  return createHmac('sha256', secret).update(scope).update(text).digest().subarray(0, SEAL_BYTES)
}
