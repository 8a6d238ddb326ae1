import { byTopic, PLACE_TOPICS } from '../../../server/src/base/domain/item-rules.ts'
import type { PlaceKind } from '../api/queries.ts'
import type { Geofence, Route, Site } from '../api/types.ts'
import { t } from '../language/text.ts'

export type Place = Geofence | Route | Site

export type KindWords = {
  title: string
  /** The texts of links and buttons. */
  all: string
  add: string
  search: string
  save: string
  delete: string
  none: string
  /** The name of the shape in the map's drawing tool. */
  shape: 'geofence' | 'route' | 'site'
  /** The contents of a file of them, a text to be translated. */
  shapes: string
  what: string
}

export const KINDS: Record<PlaceKind, KindWords> = {
  geofences: {
    title: t('Geofences'),
    all: t('All geofences'),
    add: t('New geofence'),
    search: t('Search geofences'),
    save: t('Save geofence'),
    delete: t('Delete geofence'),
    none: t('No geofences yet'),
    shape: 'geofence',
    shapes: 'Polygons with a name; {{optional}} if there are any.',
    what: t(
      'A geofence is an outlined area, such as a depot, a district or a no-go zone. Draw one or import a file.',
    ),
  },
  routes: {
    title: t('Routes'),
    all: t('All routes'),
    add: t('New route'),
    search: t('Search routes'),
    save: t('Save route'),
    delete: t('Delete route'),
    none: t('No routes yet'),
    shape: 'route',
    shapes: 'Lines with a name; {{optional}} if there are any.',
    what: t(
      'A route is a planned path with a limit on how far a vehicle may stray from it. Draw one or import a file.',
    ),
  },
  sites: {
    title: t('Sites'),
    all: t('All sites'),
    add: t('New site'),
    search: t('Search sites'),
    save: t('Save site'),
    delete: t('Delete site'),
    none: t('No sites yet'),
    shape: 'site',
    shapes: 'Points with a name; {{optional}} if there are any.',
    what: t(
      'A site is a point with a radius, such as a customer or a fuel station. Place one on the map or import a file.',
    ),
  },
}

export function isKind(kind: string): kind is PlaceKind {
  return Object.hasOwn(KINDS, kind)
}

export const PLACE_NAMES = byTopic(PLACE_TOPICS, (kind) => KINDS[kind].title)
