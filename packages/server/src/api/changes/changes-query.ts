import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { PageOffset } from '../../changes/page.ts'
import type { ChangeType } from '../../domain/items.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import type { Included } from '../../domain/position/field-lists.ts'
import { SELECTED_ATTRIBUTES } from '../parameters/attributes.ts'
import { FROM, INCLUDE, SKIP_EXHAUSTED, TYPES } from '../parameters/choices.ts'
import { CHANGES_LIMIT, WAIT } from '../parameters/numbers.ts'
import { CHANGES_IDS } from '../parameters/object-ids.ts'
import { CHANGES_CURSOR } from '../parameters/page-cursor.ts'
import { type Asked, parameterSet } from '../parameters/parameter.ts'

/** The parameters of `/changes`, with the cursor still sealed. */
export const CHANGES = parameterSet(
  {
    cursor: CHANGES_CURSOR,
    from: FROM,
    limit: CHANGES_LIMIT,
    waitSeconds: WAIT,
    types: TYPES,
    ids: CHANGES_IDS,
    include: INCLUDE,
    attributes: SELECTED_ATTRIBUTES,
    skipsExhausted: SKIP_EXHAUSTED,
  },
  [
    'cursor',
    'from',
    'limit',
    'waitSeconds',
    'skipsExhausted',
    'types',
    'include',
    'attributes',
    'ids',
  ],
)
export type ChangesQuery = Asked<typeof CHANGES>

/** The part of a cursor of `/changes` that is the same on all pages of a reader. */
export type Reader = {
  /** Null: those that every organization has. */
  types: readonly ChangeType[] | null
  /** Null: all objects. Ascending. */
  ids: readonly number[] | null
  /** A digest of the ids as given, with those that were foreign. Undefined if none were given. */
  idsAsked?: string | undefined
  /** In the order of answers. */
  include: readonly Included[]
  /** The names of the attributes, if some were selected. By name. */
  attributes?: readonly string[] | undefined
  /** A digest of the entries of its attributes. Undefined without any. */
  catalogue?: string | undefined
  /** A digest of what the key's scope opens. Undefined: everything. */
  sight?: string | undefined
  epoch: string
  unit: DistanceUnit
}

export type ChangesCursor = { reader: Reader; offset: PageOffset }

const SEAL_BYTES = 16

/**
 * A cursor: the reader and where it continues, sealed with the deployment's secret for one organization. Any process
 * can open it, and nobody else can make one. A client must treat it as opaque text.
 */
export function sealChangesCursor(
  secret: KeyObject,
  organization: number,
  { reader, offset }: ChangesCursor,
): string {
  const ids = reader.ids?.map((id, index, all) => id - (all[index - 1] ?? 0)) ?? null
  const text = Buffer.from(JSON.stringify({ reader: { ...reader, ids }, offset }))
  return Buffer.concat([sealOf(secret, organization, text), text]).toString('base64url')
}

/** Undefined if it was not made by this deployment for this organization. */
export function openChangesCursor(
  secret: KeyObject,
  organization: number,
  sealed: string,
): ChangesCursor | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== sealed) return undefined
  const text = bytes.subarray(SEAL_BYTES)
  const seal = sealOf(secret, organization, text)
  if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), seal)) return undefined
  const { reader, offset } = JSON.parse(text.toString()) as ChangesCursor
  let id = 0
  const ids = reader.ids?.map((step) => (id += step)) ?? null
  return { reader: { ...reader, ids }, offset }
}

function sealOf(secret: KeyObject, organization: number, text: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(`changes ${organization} `)
    .update(text)
    .digest()
    .subarray(0, SEAL_BYTES)
}
