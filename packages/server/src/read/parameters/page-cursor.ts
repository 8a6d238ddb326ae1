import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { invalidCursor } from '../refusal.ts'
import type { Parameter } from './parameter.ts'

/** A cursor, still sealed. An empty one is refused where it is opened. Undefined: not given. */
export const CURSOR: Parameter<string | undefined> = {
  described: {
    Cursor: {
      name: 'cursor',
      in: 'query',
      description:
        'The start of the next page. `Link` has it, together with the range to which it belongs. Treat cursors as opaque.',
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
      description:
        'The `cursor` of the last page, from which to continue. Treat cursors as opaque.',
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
 * The cursors of a list: each is the offset of the last row given, sealed with the deployment's secret. Any process can open
 * it, and nobody else can make one. `fields`: those of an offset. `textOf`: names the request that a cursor continues.
 */
export function pageCursors<Paged, Offset extends Readonly<Record<keyof Offset, number>>>(
  fields: readonly (keyof Offset)[],
  textOf: (paged: Paged) => string,
) {
  return {
    seal(secret: KeyObject, paged: Paged, offset: Offset): string {
      const text = Buffer.from(JSON.stringify(fields.map((field) => offset[field])))
      return Buffer.concat([sealOf(secret, textOf(paged), text), text]).toString('base64url')
    },
    /** Null without a cursor, undefined with one of another request. */
    open(secret: KeyObject, paged: Paged, sealed: string | undefined): Offset | null | undefined {
      if (sealed === undefined) return null
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== sealed) return undefined
      const text = bytes.subarray(SEAL_BYTES)
      const seal = sealOf(secret, textOf(paged), text)
      if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), seal)) return undefined
      const values: number[] = JSON.parse(text.toString())
      return Object.fromEntries(fields.map((field, i) => [field, values[i]])) as Offset
    },
  }
}

function sealOf(secret: KeyObject, paged: string, text: Buffer): Buffer {
  return createHmac('sha256', secret).update(paged).update(text).digest().subarray(0, SEAL_BYTES)
}

const DIGEST_BYTES = 9

/** A text of 12 characters that differs for different texts, for cursors. */
export function shortDigest(text: string): string {
  const digest = createHash('sha256').update(text).digest()
  return digest.subarray(0, DIGEST_BYTES).toString('base64url')
}
