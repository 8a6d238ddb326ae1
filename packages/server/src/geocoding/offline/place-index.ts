import { around, distance } from 'geokdbush'
import KDBush from 'kdbush'

/** One place as its data set gives it. */
export type Place = {
  name: string
  /** The name of its first-order division (state, province), where it is known. */
  region: string | null
  /** ISO 3166-1 alpha-2. */
  country: string
  /** Degrees, WGS 84. */
  latitude: number
  longitude: number
}

/** A place and how far off it is: kilometres on a sphere, within 0.6 % of the ellipsoid. */
export type NearPlace = { place: Place; distanceKm: number }

/**
 * Places and their spatial index in a few buffers, which one thread can hand to another at no cost:
 * 170,000 places take 9 MB, where as many objects would take 60.
 */
export type PackedPlaces = {
  /** Of a KDBush; its ids are places in the order in which they were packed. */
  index: ArrayBuffer
  /** Longitude and latitude of each place. */
  coordinates: Float64Array<ArrayBuffer>
  /** The names one after another in UTF-8, and where each ends. */
  names: Uint8Array<ArrayBuffer>
  nameEnds: Uint32Array<ArrayBuffer>
  /** The area of each place, as an index of `areas`. */
  areaOf: Uint16Array<ArrayBuffer>
  areas: Pick<Place, 'region' | 'country'>[]
}

export function packPlaces(places: Iterable<Place>): PackedPlaces {
  const names: string[] = []
  const nameEnds: number[] = []
  const coordinates: number[] = []
  const areas = new Map<string, { at: number; area: PackedPlaces['areas'][number] }>()
  const areaOf: number[] = []
  let end = 0
  for (const { name, region, country, latitude, longitude } of places) {
    names.push(name)
    end += Buffer.byteLength(name)
    nameEnds.push(end)
    coordinates.push(longitude, latitude)
    const key = `${country} ${region}`
    const known = areas.get(key) ?? { at: areas.size, area: { region, country } }
    areas.set(key, known)
    areaOf.push(known.at)
  }
  return {
    index: indexOf(coordinates),
    coordinates: Float64Array.from(coordinates),
    names: new TextEncoder().encode(names.join('')),
    nameEnds: Uint32Array.from(nameEnds),
    areaOf: Uint16Array.from(areaOf),
    areas: Array.from(areas.values(), ({ area }) => area),
  }
}

function indexOf(coordinates: readonly number[]): ArrayBuffer {
  const index = new KDBush(coordinates.length / 2)
  for (let at = 0; at < coordinates.length; at += 2) {
    index.add(coordinates[at]!, coordinates[at + 1]!)
  }
  return index.finish().data as ArrayBuffer
}

/** Finds the place next to a position, at most so many kilometres away. */
export type PlaceIndex = (
  latitude: number,
  longitude: number,
  maximumKm: number,
) => NearPlace | null

export function openPlaceIndex(packed: PackedPlaces): PlaceIndex {
  const index = KDBush.from(packed.index)
  const decoder = new TextDecoder()
  const placeOf = (id: number): Place => ({
    name: decoder.decode(
      packed.names.subarray(id === 0 ? 0 : packed.nameEnds[id - 1], packed.nameEnds[id]),
    ),
    ...packed.areas[packed.areaOf[id]!]!,
    latitude: packed.coordinates[id * 2 + 1]!,
    longitude: packed.coordinates[id * 2]!,
  })
  return (latitude, longitude, maximumKm) => {
    const [id] = around(index, longitude, latitude, 1, maximumKm)
    if (id === undefined) return null
    const place = placeOf(id)
    return {
      place,
      distanceKm: distance(longitude, latitude, place.longitude, place.latitude),
    }
  }
}
