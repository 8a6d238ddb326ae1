import type { Feature, FeatureCollection } from 'geojson'
import type { PlaceKind } from '../../api/queries.ts'
import type { Geofence, Route, Site } from '../../api/types.ts'
import { continued, flattened } from '../base/antimeridian.ts'
import { labelPoint } from '../base/label-point.ts'
import { boundsOf } from '../track/track.ts'
import { circleRing } from './circle-ring.ts'

export type Places = {
  geofences?: Pick<Geofence, 'name' | 'color' | 'coordinates'>[] | undefined
  routes?: Pick<Route, 'name' | 'color' | 'coordinates'>[] | undefined
  sites?: Pick<Site, 'name' | 'latitude' | 'longitude' | 'radius'>[] | undefined
}

/** The shapes of places and the points of their labels. Each feature carries its kind. */
export function placeFeatures(places: Places): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: [
      ...(places.geofences ?? []).flatMap(geofenceFeatures),
      ...(places.routes ?? []).map(routeFeature),
      ...(places.sites ?? []).flatMap(siteFeatures),
    ],
  }
}

/** West, south, east and north of all places. */
export function placeBounds({ geofences = [], routes = [], sites = [] }: Places) {
  return boundsOf([
    ...geofences.flatMap(({ coordinates }) => coordinates),
    ...routes.flatMap(({ coordinates }) => coordinates.flat()),
    ...sites.map(({ longitude, latitude }): [number, number] => [longitude, latitude]),
  ])
}

/** Stored rings may be open. GeoJSON repeats the first vertex. */
export function closedRing(ring: [number, number][]): [number, number][] {
  const first = ring[0]
  const last = ring.at(-1)
  if (first === undefined || (last![0] === first[0] && last![1] === first[1])) return ring
  return [...ring, first]
}

function geofenceFeatures({ name, color, coordinates }: NonNullable<Places['geofences']>[number]) {
  const kind = 'geofences'
  const geometry = flattened({ type: 'Polygon', coordinates: [closedRing(coordinates)] })
  return [
    feature({ kind, color }, { type: 'Polygon', coordinates: geometry.coordinates[0]! }),
    feature({ kind, color, name }, { type: 'Point', coordinates: labelPoint(geometry).at }),
  ]
}

function routeFeature({ name, color, coordinates }: NonNullable<Places['routes']>[number]) {
  const lines = coordinates.map((line) => continued(line))
  return feature({ kind: 'routes', color, name }, { type: 'MultiLineString', coordinates: lines })
}

function siteFeatures({ name, latitude, longitude, radius }: NonNullable<Places['sites']>[number]) {
  const kind = 'sites'
  const at: [number, number] = [longitude, latitude]
  const point = feature({ kind, name }, { type: 'Point', coordinates: at })
  if (radius === null || radius === 0) return [point]
  return [feature({ kind }, { type: 'Polygon', coordinates: [circleRing(at, radius)] }), point]
}

/** A place without a color gets the map's own. */
function feature(
  { color, ...properties }: { kind: PlaceKind; color?: string | null; name?: string },
  geometry: Feature['geometry'],
): Feature {
  return {
    type: 'Feature',
    properties: color == null ? properties : { ...properties, color },
    geometry,
  }
}
