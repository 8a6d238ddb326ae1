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
