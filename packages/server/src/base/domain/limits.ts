/**
 * The rate window of an organization: the contract's `requests` in any `seconds`. The operator may give an organization
 * another number of requests, up to `maxRequests`: a request reads and writes the log of its window in Redis whole, 16
 * bytes for each that counts, and a process keeps 8 bytes for each. The seconds are the same for all organizations. A log
 * then has all requests that count, whatever its organization was allowed before.
 */
export const RATE_WINDOW = { requests: 10, seconds: 10, maxRequests: 1_000 } as const

/** The streams that an organization may hold at once, over all processes. */
export const MAX_STREAMS = 10

/** The bytes of a file that an import over the admin API takes: enough for a fleet's whole catalogue. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

/** Counters and charges of the daily quota are whole hundredths of a unit. Limits are whole units. */
export const HUNDREDTHS_PER_UNIT = 100

/** The used part of an object's daily quota on a UTC day (`base/domain/time/time.ts`, `utcDay`). */
export type QuotaCount = {
  organization: number
  day: number
  object: number
  hundredths: number
}

/** Rounds up, so that the units left are rounded down. */
export function wholeUnits(hundredths: number): number {
  return Math.ceil(hundredths / HUNDREDTHS_PER_UNIT)
}

/** New objects of one feed token in any 60 seconds. */
export const MAX_NEW_OBJECTS = 600

/** Why an object cannot be created: its organization is full, or its feed token has just created too many. */
export type ObjectLimit = 'limit_of_objects' | 'limit_of_new_objects'

/** The number of wanted objects that may be created, and the limit that stops the others, if any. */
export type WithinLimits = { count: number; beyond: ObjectLimit | null }

/** `free`: how many more the organization may have, and how many more the token may make now. */
export function withinLimits(
  wanted: number,
  free: { objects: number; newObjects: number },
): WithinLimits {
  const count = Math.min(wanted, free.objects, free.newObjects)
  if (count === wanted) return { count, beyond: null }
  return {
    count,
    beyond: free.objects <= free.newObjects ? 'limit_of_objects' : 'limit_of_new_objects',
  }
}

/**
 * The seconds since the epoch whose new objects count against the limit of a token now. A second counts until
 * all of it is 60 seconds ago. The next seconds count as well: another process may have a clock that is ahead.
 * Later seconds do not count, or a clock that was set back by an hour would stop a token for an hour.
 */
export function countedSeconds(now: number): { from: number; second: number; to: number } {
  const second = Math.floor(now / 1_000)
  return { from: second - 60, second, to: second + 60 }
}

/** The limit that a place exceeds, its value, and how much of it the organization has. */
export type PlaceLimit = {
  outcome: 'limit_of_places' | 'limit_of_vertices'
  max: number
  count: number
}

/** How many places, and vertices in them, an organization may have and has. */
export type PlaceRoom = {
  maxPlaces: number
  places: number
  maxVertices: number
  vertices: number
}

/**
 * Takes room for a place that is added, or changed. Returns the limit that it exceeds; it then takes nothing. A place
 * that does not grow always has room, also where the limit was lowered. `before`: its vertices before, null of a new one.
 */
export function takeRoom(
  room: PlaceRoom,
  before: number | null,
  after: number,
): PlaceLimit | undefined {
  const { maxPlaces, places, maxVertices, vertices } = room
  if (before === null && places >= maxPlaces) {
    return { outcome: 'limit_of_places', max: maxPlaces, count: places }
  }
  const added = after - (before ?? 0)
  if (added > 0 && vertices + added > maxVertices) {
    return { outcome: 'limit_of_vertices', max: maxVertices, count: vertices }
  }
  if (before === null) room.places += 1
  room.vertices += added
  return undefined
}

/** The setting of a limit by its documented name, and the fact that a place was refused for. */
export function placeLimitFact({ outcome, max, count }: PlaceLimit): {
  field: 'max_places' | 'max_vertices'
  text: string
} {
  const field = outcome === 'limit_of_places' ? 'max_places' : 'max_vertices'
  const what =
    outcome === 'limit_of_places'
      ? 'geofences, routes and sites'
      : 'vertices in its geofences and routes'
  return { field, text: `${field} is ${max}, and the organization has ${count} ${what}` }
}
