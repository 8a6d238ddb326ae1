import { parseJson, writeArray, writeArrays } from '../../domain/json-steps.ts'
import type { Geofence, Route, Site, Waypoint } from '../../domain/place.ts'
import { inOneStep, runAtOnce, type Steps } from '../../domain/steps.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { TextsOf } from '../../store/store.ts'
import { DECIMALS, rounded } from './numbers.ts'

/** Places as rows, with the documented fields in the documented order. */
export function geofenceRow(geofence: Geofence) {
  return {
    id: geofence.id,
    name: geofence.name,
    description: geofence.description,
    color: geofence.color,
    coordinates: geofence.coordinates.map(position),
    created_at: formatInstant(geofence.createdAt),
    updated_at: formatInstant(geofence.updatedAt),
  }
}

export function routeRow(route: Route) {
  return {
    id: route.id,
    name: route.name,
    description: route.description,
    color: route.color,
    deviation: route.deviation,
    points: route.points.map(waypoint),
    coordinates: route.coordinates.map((line) => line.map(position)),
    created_at: formatInstant(route.createdAt),
    updated_at: formatInstant(route.updatedAt),
  }
}

export function siteRow(site: Site) {
  return {
    id: site.id,
    name: site.name,
    description: site.description,
    icon: site.icon,
    latitude: rounded(site.latitude, DECIMALS.coordinate),
    longitude: rounded(site.longitude, DECIMALS.coordinate),
    radius: site.radius,
    created_at: formatInstant(site.createdAt),
    updated_at: formatInstant(site.updatedAt),
  }
}

/** Places as JSON text. */
export function encodeGeofence(geofence: Geofence): string {
  return runAtOnce(writeGeofence(geofence))
}

export function encodeRoute(route: Route): string {
  return runAtOnce(writeRoute(route))
}

export function encodeSite(site: Site): string {
  return JSON.stringify(siteRow(site))
}

/** The same, in steps. */
export function* writeGeofence(geofence: Geofence | TextsOf<Geofence>): Steps<string> {
  return filled(geofenceFrame(geofence), yield* geofenceLists(geofence))
}

export function* writeRoute(route: Route | TextsOf<Route>): Steps<string> {
  return filled(routeFrame(route), yield* routeLists(route))
}

export function writeSite(site: Site): Steps<string> {
  return inOneStep(() => encodeSite(site))
}

/** The row of a place with empty lists. */
export function geofenceFrame(geofence: Geofence | TextsOf<Geofence>) {
  return geofenceRow({ ...geofence, coordinates: [] })
}

export function routeFrame(route: Route | TextsOf<Route>) {
  return routeRow({ ...route, points: [], coordinates: [] })
}

/** The JSON of the lists in a place's row. */
export function* geofenceLists({ coordinates }: Geofence | TextsOf<Geofence>) {
  return { coordinates: yield* shown(coordinates, (ring) => writeArray(ring, position)) }
}

export function* routeLists({ points, coordinates }: Route | TextsOf<Route>) {
  return {
    points: yield* shown(points, (all) => writeArray(all, waypoint)),
    coordinates: yield* shown(coordinates, (lines) => writeArrays(lines, position)),
  }
}

/** The JSON of a list as answers show it. `list`: its stored text, or its values. */
function* shown<List>(list: List | string, write: (list: List) => Steps<string>): Steps<string> {
  if (typeof list !== 'string') return yield* write(list as List)
  return (yield* isAsShown(list)) ? list : yield* write((yield* parseJson(list)) as List)
}

/** A number that is rounded, or a waypoint whose members have another order. */
const OTHERWISE = /\.\d{8}|\de|\{(?!"location":\[[^\]]*\],"order":-?\d+\})/

/** Characters that one step looks through. */
const STEP_CHARACTERS = 16 * 1024

/** Whether the stored text of a list has the form of answers: then it is neither parsed nor written. */
function* isAsShown(text: string): Steps<boolean> {
  const opening = text.startsWith('[{') ? '{' : '['
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf(opening, from + STEP_CHARACTERS)
    const to = next === -1 ? text.length : next
    if (OTHERWISE.test(text.slice(from, to))) return false
    from = to
    yield
  }
  return true
}

/** The JSON of a row, with these texts in place of its empty lists. */
export function filled(row: object, arrays: Readonly<Record<string, string>>): string {
  let text = JSON.stringify(row)
  for (const [name, array] of Object.entries(arrays)) {
    // No text of a user has this part: JSON escapes its quotes.
    const empty = `"${name}":[]`
    const at = text.lastIndexOf(empty)
    text = `${text.slice(0, at)}"${name}":${array}${text.slice(at + empty.length)}`
  }
  return text
}

function waypoint({ location, order }: Waypoint) {
  return { location: position(location), order }
}

export function position([longitude, latitude]: [number, number]): (number | null)[] {
  return [degrees(longitude), degrees(latitude)]
}

const SCALE = 10 ** DECIMALS.coordinate

/** Most values have no more decimals, and to round one takes thirty times as long. */
function degrees(value: number): number | null {
  return Math.round(value * SCALE) / SCALE === value ? value : rounded(value, DECIMALS.coordinate)
}
