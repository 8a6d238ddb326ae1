import type { Listing, Listings } from '../../directory/listings.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { takeTurn } from '../../domain/turn.ts'
import { encodeObject } from '../encode/object.ts'
import { encodeGeofence, encodeRoute, encodeSite } from '../encode/place.ts'
import type { Operation } from '../operation.ts'
import type { BodyCache } from '../reply/body-cache.ts'

/** Items encoded before other requests get a turn: about 1 ms of work. */
const SLICE = 250

/** `GET /objects`, `/geofences`, `/routes`, `/sites`: all items of a kind that the organization has. */
export const listObjects = listAll('listObjects', 'objects', encodeObject)
export const listGeofences = listAll('listGeofences', 'geofences', encodeGeofence)
export const listRoutes = listAll('listRoutes', 'routes', encodeRoute)
export const listSites = listAll('listSites', 'sites', encodeSite)

type ItemOf<Kind extends keyof Listings> = Listings[Kind] extends Listing<infer Item> ? Item : never

function listAll<Kind extends keyof Listings>(
  id: string,
  kind: Kind,
  encode: (item: ItemOf<Kind>, unit: DistanceUnit) => string,
): Operation {
  return {
    id,
    isPosition: false,
    openedBy: [kind],
    isPublic: false,
    prepare: ({ api, fleet, organization }) => ({
      due: null,
      states: [],
      async answer(read) {
        const listing = (await fleet.listing(kind, read)) as Listing<ItemOf<Kind>>
        return {
          tag: listing.tag,
          body: () =>
            bodyOf(api.bodies.lists, listing, (item) => encode(item, organization.distanceUnit)),
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

async function bodyOf<Item>(
  bodies: BodyCache<object>,
  listing: Listing<Item>,
  encode: (item: Item) => string,
): Promise<Buffer | AsyncIterable<Buffer>> {
  const known = bodies.get(listing)
  if (known !== undefined) return known
  const parts = async function* () {
    yield* partsOf(await listing.items(), encode)
  }
  const body = await (making.get(listing) ?? makeOnce(bodies, listing, parts))
  return body === 'too long' ? parts() : body
}

function makeOnce(
  bodies: BodyCache<object>,
  listing: object,
  parts: Parts,
): Promise<Buffer | 'too long'> {
  const made = makeWhole(parts).then(
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
  making.set(listing, made)
  return made
}

async function makeWhole(parts: Parts): Promise<Buffer | 'too long'> {
  const made: Buffer[] = []
  let bytes = 0
  for await (const part of parts()) {
    bytes += part.length
    if (bytes > MAX_WHOLE_BYTES) return 'too long'
    made.push(part)
  }
  return Buffer.concat(made, bytes)
}

async function* partsOf<Item>(
  items: readonly Item[],
  encode: (item: Item) => string,
): AsyncGenerator<Buffer> {
  yield Buffer.from('{"statusCode":200,"result":[')
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await takeTurn()
    const slice = items
      .slice(from, from + SLICE)
      .map(encode)
      .join(',')
    yield Buffer.from(from > 0 ? `,${slice}` : slice)
  }
  yield Buffer.from(']}')
}
