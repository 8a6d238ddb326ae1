import type { Geofence, LonLat, Site } from '@fleetgate/client'
import type { Fleet } from './fleets.ts'
import { contains, searched } from './searched.ts'
import { ToolFault } from './tool-fault.ts'
import type { Point } from './tools/around.ts'
import type { Question } from './tools/tool.ts'

/** The geofences and sites with one name, which count as one place. */
export type Place = {
  name: string
  geofences: Geofence[]
  sites: Site[]
}

/** Places that one question may be about: the API takes their ids in a request line. */
const MAX_PLACES = 100
/** Names of places in an answer or a refusal. */
export const MAX_NAMES = 20

/** The places that a question is about, and the names of others that it may mean. */
export type Places = { places: Place[]; others: string[] }

/**
 * The place with a name, or else the places whose name contains it, as searched. Throws a `ToolFault` if there are none,
 * or too many.
 */
export async function placesNamed(
  text: string,
  { fleet: { api }, signal }: Pick<Question, 'signal'> & { fleet: Pick<Fleet, 'api'> },
): Promise<Places> {
  const geofences = await api.geofences.list({ signal })
  const sites = await api.sites.list({ signal })
  const wanted = searched(text)
  if (wanted === '') throw new ToolFault('place must contain a letter or a digit. Give a name.')
  const places = new Map<string, Place>()
  const placeOf = (name: string) => {
    const place = places.get(searched(name)) ?? { name, geofences: [], sites: [] }
    places.set(searched(name), place)
    return place
  }
  const isNamed = ({ name }: { name: string }) => contains([name], wanted)
  for (const geofence of geofences.filter(isNamed)) placeOf(geofence.name).geofences.push(geofence)
  for (const site of sites.filter(isNamed)) placeOf(site.name).sites.push(site)
  if (places.size === 0) throw noPlace(text, [...geofences, ...sites])
  const exact = places.get(wanted)
  if (exact !== undefined) {
    const others = [...places.values()].filter((place) => place !== exact)
    return { places: [exact], others: others.map(({ name }) => name) }
  }
  if (places.size > MAX_PLACES) {
    throw new ToolFault(
      `${places.size} places have '${text}' in their name. Give more of the name.`,
    )
  }
  return { places: [...places.values()], others: [] }
}

function noPlace(text: string, all: readonly { name: string }[]): ToolFault {
  const names = [...new Set(all.map(({ name }) => name))].sort()
  if (names.length === 0) {
    return new ToolFault(
      'This organization has no geofences and no sites. Ask vehicles_near with coordinates.',
    )
  }
  const more = names.length > MAX_NAMES ? ` | and ${names.length - MAX_NAMES} more` : ''
  const some = names.slice(0, MAX_NAMES).join(' | ')
  return new ToolFault(`No geofence or site has '${text}' in its name. There are: ${some}${more}.`)
}

/** The middles of a place in degrees: those of its sites, or of the boxes around its geofences. */
export function middlesOf({ geofences, sites }: Place): Point[] {
  if (sites.length === 0) return geofences.map(middleOf)
  return sites.map(({ latitude, longitude }) => ({ latitude, longitude }))
}

function middleOf({ coordinates }: Geofence): Point {
  const [[first]] = coordinates as [LonLat]
  // A ring across the antimeridian takes the shorter way.
  const longitudes = coordinates.map(([each]) => each - 360 * Math.round((each - first) / 360))
  const middle = (values: number[]) => {
    const sorted = values.toSorted((a, b) => a - b)
    return (sorted[0]! + sorted.at(-1)!) / 2
  }
  const longitude = middle(longitudes)
  return {
    latitude: middle(coordinates.map(([, latitude]) => latitude)),
    longitude: longitude - 360 * Math.round(longitude / 360),
  }
}
