import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Credential } from '../../base/domain/credential.ts'
import {
  type ChangeType,
  GIVEN_TYPES,
  includesRecords,
  RECORD_TYPES,
} from '../../base/domain/item-rules.ts'
import type { DistanceUnit, Organization } from '../../base/domain/organization.ts'
import type { Included } from '../../base/domain/position/field-lists.ts'
import type { PublicAttributes } from '../../data/cache/fleet-cache.ts'
import type { PageOffset } from '../../engine/changes/page.ts'
import type { Api } from '../api.ts'
import type { Call } from '../call.ts'
import type { Query } from '../exchange/request.ts'
import { SELECTED_ATTRIBUTES } from '../parameters/attribute-parameters.ts'
import { FROM, INCLUDE, readTypes, SKIP_EXHAUSTED, TYPES } from '../parameters/choices.ts'
import { CHANGES_LIMIT, WAIT } from '../parameters/number-parameters.ts'
import { CHANGES_IDS, ownIds } from '../parameters/object-parameters.ts'
import { CHANGES_CURSOR, shortDigest } from '../parameters/page-cursor.ts'
import { type Asked, parameterSet } from '../parameters/parameter.ts'
import { differsFromCursor, invalidCursor, objectNotFound, type Refusal } from '../refusal.ts'
import { type OpenedChanges, shownEntries } from '../rows/scoped-sources.ts'

/*
 * The request of a reader of changes: its parameters, its cursor, and what it reads from where.
 */

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
  /** A digest of its levels. Undefined: it gets no changes of levels. */
  levels?: string | undefined
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

/** Reads the entries of the catalogue that a reader sees, as they are now. */
export type ReadCatalogue = () => PublicAttributes | Promise<PublicAttributes>

/**
 * The request of a reader, and where it continues: null for a reader that starts. If such a reader names no types,
 * `readPage` chooses them, because that needs the log.
 */
export type Reading = {
  wanted: Pick<Reader, 'types' | 'ids' | 'idsAsked' | 'include' | 'attributes'>
  at: ChangesCursor | null
  catalogue: ReadCatalogue
  /** Undefined: the reader sees everything. */
  opened?: OpenedChanges
}

/** The types that need an active subscription. */
const POSITION_TYPES: readonly ChangeType[] = ['positions', ...RECORD_TYPES]

/**
 * Whether a request asks for positions or what is derived from them, which need an active subscription. The
 * subscription is checked before other parameters. A cursor and types that cannot be read ask for nothing.
 */
export function asksForPositions(
  { secret }: Api,
  { id }: Organization,
  query: Query,
  cursor: string | undefined,
): boolean {
  const types = readTypes(query)
  if (types !== undefined) return !('status' in types) && includesPositions(types)
  if (cursor === undefined) return true
  const at = openChangesCursor(secret, id, cursor)
  return at !== undefined && includesPositions(at.reader.types ?? GIVEN_TYPES)
}

export function includesPositions(types: Iterable<ChangeType>): boolean {
  return POSITION_TYPES.some((type) => [...types].includes(type))
}

/** `own`: the objects that the key sees, by id. */
export function startReading(
  { api, key, organization, opened }: Call,
  asked: ChangesQuery,
  own: ReadonlyMap<number, unknown>,
): Reading | Refusal {
  const begun =
    asked.cursor === undefined
      ? startAnew(asked, own)
      : continueAt(api, organization, asked, asked.cursor, own)
  if ('status' in begun) return begun
  return { ...begun, opened, catalogue: () => visibleEntries(api, key, organization.id) }
}

/** The entries that a key sees now: the catalogue may have changed since the request came. */
async function visibleEntries(
  api: Api,
  { scope }: Credential,
  organization: number,
): Promise<PublicAttributes> {
  const fleet = await api.directory.fleetOf(organization)
  return fleet === null ? [] : shownEntries(fleet, scope)
}

export function typesOf({ types }: Pick<Reader, 'types'>): ReadonlySet<ChangeType> {
  return new Set(types ?? GIVEN_TYPES)
}

/** The types of a reader that its key opens. */
export function openedTypes(
  reader: Pick<Reader, 'types'>,
  opened: OpenedChanges | undefined,
): ReadonlySet<ChangeType> {
  const types = typesOf(reader)
  return opened === undefined ? types : types.intersection(opened.types)
}

/** Whether a reader starts with types of records. It has them derived from then on. */
export function startsWithRecords({ wanted, at, opened }: Omit<Reading, 'catalogue'>): boolean {
  return at === null && includesRecords(openedTypes(wanted, opened))
}

type Begun = Pick<Reading, 'wanted' | 'at'>

function startAnew(
  { types, include = [], attributes, ids: asked }: ChangesQuery,
  own: ReadonlyMap<number, unknown>,
): Begun | Refusal {
  const isAll = asked === undefined || asked === 'all'
  const ids = isAll ? null : ownIds(asked, own)
  if (ids !== null && 'status' in ids) return ids
  const idsAsked = isAll ? undefined : digestOf(asked)
  return { wanted: { types: types ?? null, ids, idsAsked, include, attributes }, at: null }
}

function continueAt(
  { secret }: Api,
  { id }: Organization,
  asked: ChangesQuery,
  cursor: string,
  own: ReadonlyMap<number, unknown>,
): Begun | Refusal {
  const at = openChangesCursor(secret, id, cursor)
  if (at === undefined) return invalidCursor
  const known = new Set(at.reader.ids)
  const isKnown = (object: number) => own.has(object) || known.has(object)
  if (Array.isArray(asked.ids) && !asked.ids.some(isKnown)) return objectNotFound
  const differing = differingParameter(asked, at.reader, own)
  return differing === undefined ? { wanted: at.reader, at } : differsFromCursor(differing)
}

/** Ids that were foreign, or that were deleted since the cursor was made, do not count. */
function differingParameter(
  { types, ids, include, attributes }: ChangesQuery,
  reader: Reader,
  own: ReadonlyMap<number, unknown>,
): string | undefined {
  if (types !== undefined && types.join() !== [...typesOf(reader)].join()) return 'types'
  if (include !== undefined && include.join() !== reader.include.join()) return 'include'
  if (attributes !== undefined && attributes.join() !== reader.attributes?.join()) {
    return 'attributes'
  }
  if (ids === undefined) return undefined
  if (ids === 'all') return reader.ids === null ? undefined : 'ids'
  if (reader.ids === null) return 'ids'
  // An object may have got one of the ids since.
  if (digestOf(ids) === reader.idsAsked) return undefined
  const [known, given] = [new Set(reader.ids), new Set(ids)]
  const isSame =
    ids.every((id) => known.has(id) || !own.has(id)) && reader.ids.every((id) => given.has(id))
  return isSame ? undefined : 'ids'
}

/** `ids`: distinct and ascending. */
function digestOf(ids: readonly number[]): string {
  return shortDigest(ids.join())
}
