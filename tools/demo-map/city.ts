import type { Feature, Geometry, Position } from 'geojson'
import type { LonLat } from '../../packages/server/src/base/domain/places/place.ts'
import { DISTRICTS } from '../demo/places.ts'
import { toLonLat } from '../demo/plane.ts'
import { STREETS, type StreetKind } from '../demo/streets.ts'
import { blocks } from './blocks.ts'
import { QUARTERS } from './quarters.ts'
import { BEACH, HIGH, LOW, PARKS, SEA } from './shore.ts'

/** A feature of the map with the lowest zoom of the tiles that hold it. */
export type MapFeature = Feature<Geometry, { kind: string; name?: string; min_zoom: number }>

/** The kinds of the Protomaps basemap, and their lowest zoom. */
const ROADS: Record<StreetKind, [kind: string, minZoom: number]> = {
  ronda: ['highway', 8],
  avenue: ['major_road', 10],
  street: ['minor_road', 11],
}

/**
 * The city of the demo in the layers of the Protomaps basemap: the streets on which the vehicles drive,
 * and the houses, parks and sea around them.
 */
export function city(): Record<string, MapFeature[]> {
  return {
    earth: [polygon('earth', 0, [LOW, [HIGH[0], LOW[1]], HIGH, [LOW[0], HIGH[1]]])],
    landuse: [
      ...Object.values(PARKS).map((ring) => polygon('park', 8, ring)),
      polygon('beach', 11, BEACH),
    ],
    water: [polygon('ocean', 0, SEA)],
    buildings: blocks().map(({ outline, courtyard }) =>
      polygon('building', 12, outline.map(toLonLat), courtyard?.map(toLonLat)),
    ),
    roads: STREETS.map(({ name, kind, line }) => {
      const [road, minZoom] = ROADS[kind]
      return feature(road, minZoom, name, {
        type: 'LineString',
        coordinates: line.map(toLonLat),
      })
    }),
    pois: Object.entries(PARKS).map(([name, ring]) =>
      feature('park', 12, name, { type: 'Point', coordinates: middleOf(ring) }),
    ),
    places: [
      feature('locality', 8, 'Barcelona', { type: 'Point', coordinates: [2.1686, 41.3874] }),
      ...Object.values(DISTRICTS).map(({ name, low, high }) =>
        neighbourhood(name, [toLonLat(low), toLonLat(high)]),
      ),
      ...QUARTERS.map(({ name, corners }) => neighbourhood(name, corners.map(toLonLat))),
    ],
  }
}

function neighbourhood(name: string, corners: LonLat[]): MapFeature {
  return feature('neighbourhood', 12, name, { type: 'Point', coordinates: middleOf(corners) })
}

function middleOf(ring: LonLat[]): LonLat {
  const [longitude, latitude] = [0, 1].map(
    (axis) => ring.reduce((sum, point) => sum + point[axis]!, 0) / ring.length,
  )
  return [longitude!, latitude!]
}

function feature(kind: string, minZoom: number, name: string, geometry: Geometry): MapFeature {
  return { type: 'Feature', properties: { kind, name, min_zoom: minZoom }, geometry }
}

function polygon(kind: string, minZoom: number, ...rings: (LonLat[] | undefined)[]): MapFeature {
  const coordinates: Position[][] = rings
    .filter((ring) => ring !== undefined)
    .map((ring) => [...ring, ring[0]!])
  return {
    type: 'Feature',
    properties: { kind, min_zoom: minZoom },
    geometry: { type: 'Polygon', coordinates },
  }
}
