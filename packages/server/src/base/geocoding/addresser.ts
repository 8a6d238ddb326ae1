import { takeTurn } from '../domain/common/slots.ts'
import type { Language } from '../domain/organization.ts'
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

/**
 * Decides which positions get an address: one for every 200 m of each object, outside the packets' path.
 * Times are device times, milliseconds since the epoch.
 */
export class Addresser {
  private readonly geocoder: AddresserParts['geocoder']
  private readonly languageOf: AddresserParts['languageOf']
  private readonly store: AddresserParts['store']
  private readonly asked = openAskedPlaces()
  /** By object, in order of arrival, so that none waits forever. */
  private readonly queue = new Map<number, Waiting>()
  private found: FoundAddress[] = []
  private working: Promise<void> | undefined
  private storing: Promise<void> | undefined
  private closed = false

  constructor({ geocoder, languageOf, store }: AddresserParts) {
    this.geocoder = geocoder
    this.languageOf = languageOf
    this.store = store
  }

  /** Call for the newest position of each object in a stored batch. */
  note(
    organization: number,
    object: number,
    latitude: number,
    longitude: number,
    at: number,
  ): void {
    const row = this.asked.rowOf(organization, object)
    const { values } = this.asked
    if (at <= values[row + AT]! || at < values[row + OWN_UNTIL]! || this.closed) return
    if (
      at < values[row + AGAIN_AT]! &&
      isNear(values[row + LATITUDE]!, values[row + LONGITUDE]!, latitude, longitude)
    ) {
      return
    }
    this.enqueue({ organization, object, latitude, longitude, at })
  }

  /** Call for an object whose packet brought an address: nothing is looked up for it for a day. */
  broughtOwn(organization: number, object: number, at: number): void {
    const column = this.asked.rowOf(organization, object) + OWN_UNTIL
    this.asked.values[column] = Math.max(this.asked.values[column]!, at + OWN_ADDRESS_MS)
    this.queue.delete(object)
  }

  /** The place to which the object's stored address belongs. */
  seed(organization: number, object: number, latitude: number, longitude: number): void {
    const row = this.asked.rowOf(organization, object)
    this.asked.values[row + LATITUDE] = latitude
    this.asked.values[row + LONGITUDE] = longitude
  }

  /** The organization's objects with remembered data. */
  objects(organization: number): number[] {
    return this.asked.objects(organization)
  }

  /** Forgets an object, or a whole organization. */
  drop(organization: number, object?: number): void {
    if (object !== undefined) {
      this.asked.drop(organization, object)
      this.queue.delete(object)
      return
    }
    this.asked.dropAll(organization)
    for (const waiting of this.queue.values()) {
      if (waiting.organization === organization) this.queue.delete(waiting.object)
    }
  }

  /** Stops asking, stores found addresses, and closes the geocoder. */
  async close(): Promise<void> {
    this.closed = true
    this.queue.clear()
    await this.geocoder.close()
    await this.working
    await this.storing
  }

  private enqueue(waiting: Waiting): void {
    const existing = this.queue.get(waiting.object)
    if (existing === undefined ? this.queue.size >= QUEUE_CAPACITY : existing.at >= waiting.at)
      return
    this.queue.set(waiting.object, waiting)
    this.working ??= this.work()
  }

  private async work(): Promise<void> {
    await takeTurn()
    for (let done = 1; ; done += 1) {
      const [next] = this.queue.values()
      if (next === undefined) break
      this.queue.delete(next.object)
      await this.lookUp(next)
      if (this.found.length >= FOUND_CAPACITY) await this.storing
      if (done % SLICE === 0) await takeTurn()
    }
    this.working = undefined
  }

  private async lookUp(waiting: Waiting): Promise<void> {
    const { organization, object, latitude, longitude, at } = waiting
    const row = this.asked.rowOf(organization, object)
    this.asked.values.set([latitude, longitude, at, Number.POSITIVE_INFINITY], row + LATITUDE)
    const address = await this.ask(waiting)
    if (this.asked.find(organization, object) !== row) return
    if (address === null) {
      this.asked.values[row + AGAIN_AT] = at + RETRY_MS
      return
    }
    this.found.push({ ...waiting, address })
    this.storing ??= this.storeFound()
  }

  private async ask({ organization, latitude, longitude }: Waiting): Promise<string | null> {
    try {
      return await this.geocoder.address(latitude, longitude, await this.languageOf(organization))
    } catch {
      // The organization's language cannot be read at the moment.
      return null
    }
  }

  /** Addresses found while a batch is stored go into the next one. */
  private async storeFound(): Promise<void> {
    while (this.found.length > 0) {
      const batch = this.found
      this.found = []
      try {
        await this.store(batch)
      } catch {
        for (const { organization, object } of batch) {
          const row = this.asked.find(organization, object)
          if (row !== undefined) this.asked.values[row + LATITUDE] = Number.NaN
        }
      }
    }
    this.storing = undefined
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

/** The columns of a row: the last look-up of one object. Times are device times, milliseconds. */
export const LATITUDE = 0

const LONGITUDE = 1

export const AT = 2

/** The time from which on the same place may be looked up again. */
const AGAIN_AT = 3

/** The time until which the object is expected to bring its own addresses. */
export const OWN_UNTIL = 4

const COLUMNS = 5

const NEVER_ASKED = [
  Number.NaN,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]

/**
 * A row of about 110 bytes for each object, all in one array, because every packet reads one. As objects
 * they would take 180 bytes, and a read twice the time.
 */
type AskedPlaces = {
  /** A row's columns follow each other. Read this after `rowOf`, which may replace it. */
  readonly values: Float64Array
  find(organization: number, object: number): number | undefined
  /** Creates a missing row, without a look-up. */
  rowOf(organization: number, object: number): number
  /** The organization's objects that have a row. */
  objects(organization: number): number[]
  drop(organization: number, object: number): void
  dropAll(organization: number): void
}

export function openAskedPlaces(): AskedPlaces {
  const rows = new Map<number, Map<number, number>>()
  const free: number[] = []
  let values = new Float64Array(COLUMNS * 1024)
  let end = 0

  function find(organization: number, object: number): number | undefined {
    return rows.get(organization)?.get(object)
  }

  function add(organization: number, object: number): number {
    const row = free.pop() ?? end
    if (row === end) end += COLUMNS
    if (end > values.length) {
      const larger = new Float64Array(values.length * 2)
      larger.set(values)
      values = larger
    }
    values.set(NEVER_ASKED, row)
    const ofOrganization = rows.get(organization) ?? new Map<number, number>()
    rows.set(organization, ofOrganization.set(object, row))
    return row
  }

  return {
    get values() {
      return values
    },
    find,
    rowOf: (organization, object) => find(organization, object) ?? add(organization, object),
    objects: (organization) => [...(rows.get(organization)?.keys() ?? [])],
    drop(organization, object) {
      const row = find(organization, object)
      if (row === undefined) return
      free.push(row)
      rows.get(organization)!.delete(object)
    },
    dropAll(organization) {
      for (const row of rows.get(organization)?.values() ?? []) free.push(row)
      rows.delete(organization)
    },
  }
}
