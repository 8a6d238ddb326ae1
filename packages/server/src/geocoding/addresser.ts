import { takeTurn } from '../domain/common/turn.ts'
import type { Language } from '../domain/organization.ts'
import { AGAIN_AT, AT, LATITUDE, LONGITUDE, OWN_UNTIL, openAskedPlaces } from './asked-places.ts'
import type { Geocoder } from './geocoder.ts'

/** The address of an object's place at one of its fixes. `at` is the fix's device time. */
export type FoundAddress = {
  organization: number
  object: number
  address: string
  latitude: number
  longitude: number
  at: number
}

export type AddresserParts = {
  geocoder: Pick<Geocoder, 'address' | 'close'>
  languageOf(organization: number): Language | Promise<Language>
  /** Stores found addresses. If it rejects, those addresses are looked up again. */
  store(found: FoundAddress[]): Promise<void>
}

/**
 * Decides which positions get an address: one for every 200 m of each object, outside the packets' path.
 * Times are device times, milliseconds since the epoch.
 */
export type Addresser = {
  /** Call for the newest position of each object in a stored batch. */
  note(organization: number, object: number, latitude: number, longitude: number, at: number): void
  /** Call for an object whose packet brought an address: nothing is looked up for it for a day. */
  broughtOwn(organization: number, object: number, at: number): void
  /** The place to which the object's stored address belongs. */
  seed(organization: number, object: number, latitude: number, longitude: number): void
  /** The organization's objects with remembered data. */
  objects(organization: number): number[]
  /** Forgets an object, or a whole organization. */
  drop(organization: number, object?: number): void
  /** Stops asking, stores found addresses, and closes the geocoder. */
  close(): Promise<void>
}

const NEAR_METRES = 200
/** A place without an address is not looked up again before this time has passed. */
const RETRY_MS = 10 * 60_000
const OWN_ADDRESS_MS = 24 * 3_600_000
/** Beyond this many, an object waits for its next position. */
const QUEUE_CAPACITY = 10_000
/** Look-ups in one turn. With the offline geocoder they take 0.4 ms. */
const SLICE = 25
/** Found addresses that may wait for the store. */
const FOUND_CAPACITY = 1_000

type Waiting = Omit<FoundAddress, 'address'>

export function openAddresser({ geocoder, languageOf, store }: AddresserParts): Addresser {
  const asked = openAskedPlaces()
  /** By object, in order of arrival, so that none waits forever. */
  const queue = new Map<number, Waiting>()
  let found: FoundAddress[] = []
  let working: Promise<void> | undefined
  let storing: Promise<void> | undefined
  let closed = false

  function enqueue(waiting: Waiting): void {
    const existing = queue.get(waiting.object)
    if (existing === undefined ? queue.size >= QUEUE_CAPACITY : existing.at >= waiting.at) return
    queue.set(waiting.object, waiting)
    working ??= work()
  }

  async function work(): Promise<void> {
    await takeTurn()
    for (let done = 1; ; done += 1) {
      const [next] = queue.values()
      if (next === undefined) break
      queue.delete(next.object)
      await lookUp(next)
      if (found.length >= FOUND_CAPACITY) await storing
      if (done % SLICE === 0) await takeTurn()
    }
    working = undefined
  }

  async function lookUp(waiting: Waiting): Promise<void> {
    const { organization, object, latitude, longitude, at } = waiting
    const row = asked.rowOf(organization, object)
    asked.values.set([latitude, longitude, at, Number.POSITIVE_INFINITY], row + LATITUDE)
    const address = await ask(waiting)
    if (asked.find(organization, object) !== row) return
    if (address === null) {
      asked.values[row + AGAIN_AT] = at + RETRY_MS
      return
    }
    found.push({ ...waiting, address })
    storing ??= storeFound()
  }

  async function ask({ organization, latitude, longitude }: Waiting): Promise<string | null> {
    try {
      return await geocoder.address(latitude, longitude, await languageOf(organization))
    } catch {
      // The organization's language cannot be read at the moment.
      return null
    }
  }

  /** Addresses found while a batch is stored go into the next one. */
  async function storeFound(): Promise<void> {
    while (found.length > 0) {
      const batch = found
      found = []
      try {
        await store(batch)
      } catch {
        for (const { organization, object } of batch) {
          const row = asked.find(organization, object)
          if (row !== undefined) asked.values[row + LATITUDE] = Number.NaN
        }
      }
    }
    storing = undefined
  }

  return {
    note(organization, object, latitude, longitude, at) {
      const row = asked.rowOf(organization, object)
      const { values } = asked
      if (at <= values[row + AT]! || at < values[row + OWN_UNTIL]! || closed) return
      if (
        at < values[row + AGAIN_AT]! &&
        isNear(values[row + LATITUDE]!, values[row + LONGITUDE]!, latitude, longitude)
      ) {
        return
      }
      enqueue({ organization, object, latitude, longitude, at })
    },
    broughtOwn(organization, object, at) {
      const column = asked.rowOf(organization, object) + OWN_UNTIL
      asked.values[column] = Math.max(asked.values[column]!, at + OWN_ADDRESS_MS)
      queue.delete(object)
    },
    seed(organization, object, latitude, longitude) {
      const row = asked.rowOf(organization, object)
      asked.values[row + LATITUDE] = latitude
      asked.values[row + LONGITUDE] = longitude
    },
    objects: (organization) => asked.objects(organization),
    drop(organization, object) {
      if (object !== undefined) {
        asked.drop(organization, object)
        queue.delete(object)
        return
      }
      asked.dropAll(organization)
      for (const waiting of queue.values()) {
        if (waiting.organization === organization) queue.delete(waiting.object)
      }
    },
    async close() {
      closed = true
      queue.clear()
      await geocoder.close()
      await working
      await storing
    },
  }
}

/** Mean radius of the Earth, 6,371,008.8 m (IUGG), times one degree in radians. */
const METRES_OF_A_DEGREE = 111_195

/**
 * Whether two places are within 200 m, on a plane that touches the Earth there (equirectangular
 * projection). Exact enough for this distance, and takes a few nanoseconds.
 */
function isNear(fromLatitude: number, fromLongitude: number, latitude: number, longitude: number) {
  // False if the first place is NaN, which means that there is none.
  const north = (latitude - fromLatitude) * METRES_OF_A_DEGREE
  if (!(Math.abs(north) <= NEAR_METRES)) return false
  const degrees = Math.abs(longitude - fromLongitude)
  const narrowing = Math.cos((latitude * Math.PI) / 180)
  const east = Math.min(degrees, 360 - degrees) * METRES_OF_A_DEGREE * narrowing
  return north * north + east * east <= NEAR_METRES * NEAR_METRES
}
