import type { PlaceKind } from '../api/queries.ts'
import type { Geofence, Route, Site } from '../api/types.ts'

export type Place = Geofence | Route | Site

export type KindWords = {
  one: string
  many: string
  title: string
  newTitle: string
  /** The name of the shape in the map's drawing tool. */
  shape: 'geofence' | 'route' | 'site'
  what: string
}

export const KINDS: Record<PlaceKind, KindWords> = {
  geofences: {
    one: 'geofence',
    many: 'geofences',
    title: 'Geofences',
    newTitle: 'New geofence',
    shape: 'geofence',
    what: 'A geofence is an area with an outline: a depot, a district, a no-go zone. Draw one, or import a file.',
  },
  routes: {
    one: 'route',
    many: 'routes',
    title: 'Routes',
    newTitle: 'New route',
    shape: 'route',
    what: 'A route is a planned way, with the distance that a vehicle may stray from it. Draw one, or import a file.',
  },
  sites: {
    one: 'site',
    many: 'sites',
    title: 'Sites',
    newTitle: 'New site',
    shape: 'site',
    what: 'A site is a place with a radius: a customer, a fuel station. Place one on the map, or import a file.',
  },
}

export function isKind(kind: string): kind is PlaceKind {
  return kind in KINDS
}
