import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { invalidCursor } from '../refusal.ts'
import type { Parameter } from './parameter.ts'

/** A cursor, still sealed. An empty one is refused where it is opened. Undefined: not given. */
export const CURSOR: Parameter<string | undefined> = {
  described: {
    Cursor: {
      name: 'cursor',
      in: 'query',
      description:
        'Where the next page begins. Comes ready in `Link`, together with the range to which it belongs; do not make or change one.',
      schema: { type: 'string' },
    },
  },
  single: ['cursor'],
  read: (query) => query.get('cursor')?.[0],
  write: (cursor) => (cursor === undefined ? {} : { cursor }),
  refusals: [invalidCursor],
}

export const CHANGES_CURSOR: Parameter<string | undefined> = {
  ...CURSOR,
  described: {
    ChangesCursor: {
      name: 'cursor',
      in: 'query',
      description: 'Where to continue: the `cursor` of the last page. Do not make or change one.',
      schema: { type: 'string' },
    },
  },
  read(query) {
    const cursor = query.get('cursor')?.[0]
    return cursor === '' ? invalidCursor : cursor
  },
}

const SEAL_BYTES = 16

/**
 * A cursor: the place of the last row given, sealed with the deployment's secret. Any process can open it, and
 * nobody else can make one. `paged` names the request that the cursor continues.
 */
export function sealPageCursor(secret: KeyObject, paged: string, place: readonly number[]): string {
  const text = Buffer.from(JSON.stringify(place))
  return Buffer.concat([sealOf(secret, paged, text), text]).toString('base64url')
}

/** The place. Undefined if the cursor was made for another request. */
export function openPageCursor(
  secret: KeyObject,
  paged: string,
  sealed: string,
): number[] | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== sealed) return undefined
  const text = bytes.subarray(SEAL_BYTES)
  if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(secret, paged, text))) return undefined
  return JSON.parse(text.toString())
}

function sealOf(secret: KeyObject, paged: string, text: Buffer): Buffer {
  return createHmac('sha256', secret).update(paged).update(text).digest().subarray(0, SEAL_BYTES)
}
