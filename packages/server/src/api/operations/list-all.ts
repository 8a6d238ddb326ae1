import type { Listing, Listings } from '../../cache/fleet.ts'
import { ITEM_NOUNS, LIST_TOPICS, schemaNameOf } from '../../domain/items.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { van } from '../documentation/examples.ts'
import { LISTED_KINDS, listedForm } from '../encode/listed-kinds.ts'
import { objectKind } from '../encode/object.ts'
import { exampleOf, type RowFields } from '../encode/row-fields.ts'
import { rowsParts, wholeOrStreamed } from '../encode/rows-body.ts'
import { type Format, MAP_FORMATS, TABLE_FORMATS } from '../formats/formats.ts'
import { type AnyRowForm, rowForm } from '../formats/row-form.ts'
import type { KeyedOperation } from '../operation.ts'
import { parameterSet } from '../parameters/parameter.ts'
import { repeatedParameter } from '../refusal.ts'
import type { BodyCache } from '../reply/kept-bodies.ts'

/** `GET /objects`, `/geofences`, `/routes`, `/sites`: all items of a kind that the organization has. */
export const listEveryObject = listAll(
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
/** The lists of items that have settings alone. */
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

/** A longer list is sent while it is made, so that it is never in memory as a whole. */
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
