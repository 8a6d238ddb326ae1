import {
  byTopic,
  ITEM_NOUNS,
  PLACE_TOPICS,
  schemaNameOf,
} from '../../../server/src/base/domain/items.ts'
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
  /** The shapes in a file of them. */
  shapes: string
  what: string
}

const WORDS: Record<PlaceKind, Pick<KindWords, 'shapes' | 'what'>> = {
  geofences: {
    shapes: 'Polygons',
    what: 'A geofence is an area with an outline: a depot, a district, a no-go zone. Draw one, or import a file.',
  },
  routes: {
    shapes: 'Lines',
    what: 'A route is a planned way, with the distance that a vehicle may stray from it. Draw one, or import a file.',
  },
  sites: {
    shapes: 'Points',
    what: 'A site is a place with a radius: a customer, a fuel station. Place one on the map, or import a file.',
  },
}

export const KINDS: Record<PlaceKind, KindWords> = byTopic(PLACE_TOPICS, (many) => {
  const one = ITEM_NOUNS[many]
  const [title, newTitle] = [schemaNameOf(many), `New ${one}`]
  return { one, many, title, newTitle, shape: one, ...WORDS[many] }
})

export function isKind(kind: string): kind is PlaceKind {
  return kind in KINDS
}
