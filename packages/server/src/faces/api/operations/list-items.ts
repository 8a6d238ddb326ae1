import { createHash, createHmac } from 'node:crypto'
import type { AttributeEntry } from '../../../base/domain/attributes/attribute-catalogue.ts'
import { takeTurn } from '../../../base/domain/common/slots.ts'
import { ITEM_NOUNS, LIST_TOPICS, schemaNameOf } from '../../../base/domain/item-rules.ts'
import type { DistanceUnit } from '../../../base/domain/organization.ts'
import type { Listing, Listings } from '../../../data/cache/fleet-cache.ts'
import type { OwnObject } from '../../../data/cache/fleet-objects.ts'
import type { BodyCache } from '../../../read/api.ts'
import type { Call, Prepared } from '../../../read/call.ts'
import { ATTRIBUTE_FIELDS } from '../../../read/encode/listed-fields.ts'
import { LISTED_KINDS, listedForm } from '../../../read/encode/listed-kinds.ts'
import { objectKind } from '../../../read/encode/object.ts'
import {
  exampleOf,
  jsonOf,
  type RowFields,
  rowOf,
  tableOf,
} from '../../../read/encode/row-fields.ts'
import {
  type AnyRowForm,
  type RowKind,
  rowForm,
  rowsBody,
  rowsParts,
  wholeOrStreamed,
} from '../../../read/encode/rows.ts'
import {
  type Format,
  MAP_FORMATS,
  maxRowsIn,
  TABLE_FORMATS,
} from '../../../read/formats/formats.ts'
import {
  OBJECT_FILTER,
  type ObjectFilter,
  objectMatcher,
} from '../../../read/parameters/object-parameters.ts'
import { parameterSet } from '../../../read/parameters/parameter.ts'
import { repeatedParameter, rowsAboveSheet } from '../../../read/refusal.ts'
import type { ReadFleet } from '../../../read/rows/scoped-sources.ts'
import { van } from '../../../read/schemas/examples.ts'
import type { KeyedOperation, Operation } from '../operation.ts'

/*
 * The operations that list the items of an organization.
 */

/** `GET /objects` without filters. */
const listEveryObject = listAll(
  'objects',
  {
    id: 'listObjects',
    tag: 'Objects',
    summary: 'List objects',
    description:
      'The objects of your organization by `id`, ascending, without their current positions. With filters, only the objects that match all of them.',
    success: 'The objects of the organization.',
    result: { rows: 'Object', example: [van] },
    formats: TABLE_FORMATS,
  },
  (format, unit) => rowForm(format, objectKind(unit)),
)
/** `GET /geofences`, `/routes`, `/sites`: all items of a kind that the organization has. */
export const listListed: readonly KeyedOperation[] = LIST_TOPICS.map((topic) => {
  const Noun = schemaNameOf(ITEM_NOUNS[topic])
  const { tag, listed, fields } = LISTED_KINDS[topic]
  const example = exampleOf(fields as RowFields<never>) as never
  return listAll(
    topic,
    {
      id: `list${Noun}s`,
      tag,
      summary: `List ${topic}`,
      description: listed,
      success: `All ${topic} of the organization.`,
      result: { rows: Noun, example: [example] },
      formats: 'geometry' in LISTED_KINDS[topic] ? MAP_FORMATS : TABLE_FORMATS,
    },
    (format) => listedForm(topic, format),
  )
})

type ItemOf<Kind extends keyof Listings> = Listings[Kind] extends Listing<infer Item> ? Item : never

type About = Pick<
  KeyedOperation,
  'id' | 'tag' | 'summary' | 'description' | 'success' | 'result' | 'formats'
>

function listAll<Kind extends keyof Listings>(
  kind: Kind,
  about: About,
  formOf: (format: Format, unit: DistanceUnit) => AnyRowForm<ItemOf<Kind>>,
): KeyedOperation {
  return {
    ...about,
    path: `/${kind}`,
    parameters: parameterSet({}),
    badRequests: [repeatedParameter('format')],
    hasEntityTag: true,
    isPosition: false,
    openedBy: [kind],
    isPublic: false,
    isContract: true,
    prepare: ({ api, fleet, format, organization }) => ({
      due: null,
      shown: [],
      async answer(read) {
        const listing = (await fleet.listing(kind, read)) as Listing<ItemOf<Kind>>
        return {
          tag: listing.tag,
          body: () => {
            const form = formOf(format, organization.distanceUnit)
            const parts = () => rowsParts(listing.items(), form)
            // Most clients take JSON.
            return format === 'json'
              ? keptBody(api.bodies.lists, listing, parts)
              : wholeOrStreamed(parts())
          },
        }
      },
    }),
  }
}

/** A longer list is streamed, so that it is never in memory as a whole. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024

type Parts = () => AsyncIterable<Buffer>

/** Bodies in the making, shared by all requests for them, and lists known to be too long. */
const making = new WeakMap<object, Promise<Buffer | 'too long'>>()

async function keptBody(
  bodies: BodyCache<object>,
  listing: object,
  parts: Parts,
): Promise<Buffer | AsyncIterable<Buffer>> {
  return (
    bodies.get(listing) ?? bodyOf(making.get(listing) ?? makeOnce(bodies, listing, parts), parts)
  )
}

async function bodyOf(
  making: Promise<Buffer | 'too long'>,
  parts: Parts,
): Promise<Buffer | AsyncIterable<Buffer>> {
  const body = await making
  return body === 'too long' ? parts() : body
}

function makeOnce(
  bodies: BodyCache<object>,
  listing: object,
  parts: Parts,
): Promise<Buffer | 'too long'> {
  const body = makeWhole(parts).then(
    (body) => {
      if (body !== 'too long') {
        bodies.set(listing, body)
        making.delete(listing)
      }
      return body
    },
    (error) => {
      making.delete(listing)
      throw error
    },
  )
  making.set(listing, body)
  return body
}

async function makeWhole(parts: Parts): Promise<Buffer | 'too long'> {
  const blocks: Buffer[] = []
  let bytes = 0
  for await (const part of parts()) {
    bytes += part.length
    if (bytes > MAX_WHOLE_BYTES) return 'too long'
    blocks.push(part)
  }
  return Buffer.concat(blocks, bytes)
}

/** `GET /objects`: all objects of the organization, or those that pass the filters. */
export const listObjects: KeyedOperation = {
  ...listEveryObject,
  parameters: OBJECT_FILTER,
  badRequests: [repeatedParameter('q')],
  prepare(call) {
    const filter = OBJECT_FILTER.of(call)
    if ('status' in filter) return filter
    const hasFilter = Object.values(filter).some((each) => each !== undefined)
    const prepare = () => (hasFilter ? listFiltered(call, filter) : listEveryObject.prepare(call))
    // The other lists are of places, which have a lower maximum.
    const most = maxRowsIn(call.format)
    if (most === Number.POSITIVE_INFINITY) return prepare()
    return matchMore(call, filter, most).then((isMore) =>
      isMore ? rowsAboveSheet(most) : prepare(),
    )
  },
}

function listFiltered({ api, fleet, format, organization }: Call, filter: ObjectFilter): Prepared {
  return {
    due: null,
    shown: [],
    async answer(read) {
      const { tag } = await fleet.listing('objects', read)
      const whole = JSON.stringify([tag, filter])
      return {
        tag: createHmac('sha256', api.secret).update(whole).digest('base64url').slice(0, 22),
        async body() {
          const objects = await fleet.withStates(await matching(fleet, filter))
          const form = rowForm(format, objectKind(organization.distanceUnit))
          return rowsBody(objects, form)
        },
      }
    },
  }
}

/** Whether more than `most` objects match. */
async function matchMore({ fleet }: Call, filter: ObjectFilter, most: number): Promise<boolean> {
  return (await fleet.objects()).size > most && (await matching(fleet, filter)).length > most
}

/** Objects compared before other requests get a turn: about 1 ms of work. */
const SLICE = 5_000

async function matching(fleet: ReadFleet, filter: ObjectFilter): Promise<OwnObject[]> {
  const matches = objectMatcher(filter)
  const found: OwnObject[] = []
  let passed = 0
  for (const each of (await fleet.objects()).values()) {
    if (matches(each.object)) found.push(each)
    passed += 1
    if (passed % SLICE === 0) await takeTurn()
  }
  return found
}

const [row, json] = [rowOf(ATTRIBUTE_FIELDS), jsonOf(ATTRIBUTE_FIELDS)]

const KIND: RowKind<AttributeEntry> = {
  ...tableOf(ATTRIBUTE_FIELDS),
  row: (entry) => row(entry, 'km'),
  json: (entry) => json(entry, 'km'),
}

/** `GET /attributes`: the catalogue of attributes. Charges nothing. */
export const listAttributes: Operation = {
  id: 'listAttributes',
  path: '/attributes',
  tag: 'Positions',
  summary: 'List attributes',
  description:
    'The attributes of your organization by `name`, ascending: the values that devices send in addition to the fields of a position, such as fuel or temperature. Every key can read them. Costs a request and no quota.',
  parameters: parameterSet({}),
  success: 'The attributes of the organization that the key can see.',
  result: { rows: 'Attribute', example: [exampleOf(ATTRIBUTE_FIELDS)] },
  formats: TABLE_FORMATS,
  badRequests: [repeatedParameter('format')],
  hasEntityTag: true,
  isPosition: false,
  openedBy: [],
  isPublic: false,
  prepare: ({ fleet, format }) => ({
    due: null,
    shown: [],
    async answer() {
      const entries = await fleet.attributes()
      const parts = await Array.fromAsync(rowsParts([entries], rowForm(format, KIND)))
      const body = Buffer.concat(parts)
      return { tag: tagOf(body), body }
    },
  }),
}

const TAG_CHARACTERS = 22

function tagOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARACTERS)
}
