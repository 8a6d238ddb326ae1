import type { Listing, Listings } from '../../catalogue/fleet.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { takeTurn } from '../../domain/turn.ts'
import type { BodyCache } from '../body-cache.ts'
import { encodeObject } from '../encode/object.ts'
import { encodeGeofence, encodeRoute, encodeSite } from '../encode/place.ts'
import type { Operation } from '../operation.ts'

/** How many items are encoded before other requests get a turn: about a millisecond's work. */
const SLICE = 250

/** `GET /objects`, `/geofences`, `/routes`, `/sites`: all that the organization has of a kind. */
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

async function bodyOf<Item>(
  bodies: BodyCache<object>,
  listing: Listing<Item>,
  encode: (item: Item) => string,
): Promise<Buffer> {
  const known = bodies.get(listing)
  if (known !== undefined) return known
  const items = await listing.items()
  const parts = [Buffer.from('{"statusCode":200,"result":[')]
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await takeTurn()
    const slice = items
      .slice(from, from + SLICE)
      .map(encode)
      .join(',')
    parts.push(Buffer.from(from > 0 ? `,${slice}` : slice))
  }
  parts.push(Buffer.from(']}'))
  const body = Buffer.concat(parts)
  bodies.set(listing, body)
  return body
}
