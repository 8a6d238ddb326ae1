import fc from 'fast-check'
import type { LonLat } from '../../src/base/domain/places/place.ts'
import { distanceMetres } from '../../src/engine/tracking/rules/geodesic.ts'
import type { PlainPlace } from './plain-records.ts'

const METRES_PER_DEGREE = 96_000
const [LONGITUDE, LATITUDE] = [-97.75, 30.25]

/** The longitude of a point on the way of all objects of a trial. */
export function longitudeAt(metres: number): number {
  return LONGITUDE + metres / METRES_PER_DEGREE
}

/** Places along the way. `place` is its id; a later one of the same id replaces it. */
export const anyPlace = fc.record({
  placeType: fc.constantFrom('geofence' as const, 'site' as const),
  place: fc.integer({ min: 1, max: 3 }),
  metres: fc.integer({ min: -3_000, max: 3_000 }),
  size: fc.constantFrom(30, 300, 2_000, 20_000),
  isDeleted: fc.constantFrom(false, false, true),
  /** Whether so many others come with it, elsewhere, that a store derives the whole history again. */
  hasOthers: fc.constantFrom(false, false, false, false, true),
})
export type AnyPlace = typeof anyPlace extends fc.Arbitrary<infer T> ? T : never

export function circleOf({ place, metres, size }: AnyPlace) {
  const longitude = longitudeAt(metres)
  return { id: place, latitude: LATITUDE, longitude, radius: size }
}

export function ringOf({ place, metres, size }: AnyPlace) {
  const [west, east] = [longitudeAt(metres - size), longitudeAt(metres + size)]
  const [south, north] = [LATITUDE - 0.01, LATITUDE + 0.01]
  const coordinates: LonLat[] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ]
  return { id: place, coordinates }
}

/** Places that no object of a trial comes to. */
export const OTHERS = Array.from({ length: 101 }, (_, index) => {
  const about = { name: `Elsewhere ${index}`, description: null, color: null, icon: null }
  return { ...about, latitude: -LATITUDE, longitude: LONGITUDE, radius: 100 }
})

/** The place as the definition of visits takes it. `id`: its id there. */
export function plainPlaceOf(each: AnyPlace, id: number): PlainPlace {
  const { placeType } = each
  const { coordinates } = ringOf(each)
  const { latitude, longitude, radius } = circleOf(each)
  const [west, east] = [coordinates[0]![0], coordinates[1]![0]]
  const [south, north] = [coordinates[0]![1], coordinates[2]![1]]
  return {
    placeType,
    place: id,
    contains: (lat, lon) =>
      placeType === 'site'
        ? distanceMetres(latitude, longitude, lat, lon) <= radius
        : lat >= south && lat <= north && lon >= west && lon <= east,
  }
}
