import type { MonitoredObject, ObjectSettings } from './monitored-object.ts'
import type {
  Geofence,
  GeofenceSettings,
  Route,
  RouteSettings,
  Site,
  SiteSettings,
} from './place.ts'
import { GEOFENCE_RULES, ROUTE_RULES, SITE_RULES } from './settings/place-settings.ts'
import type { Rules } from './settings/rule.ts'

/**
 * The kinds of items: the things that an organization has in lists, apart from positions and records. The name of a kind
 * is also that of its table, of its topic of changes, of its path, and of its operation in scopes.
 */
export type Items = {
  objects: MonitoredObject
  geofences: Geofence
  routes: Route
  sites: Site
}
export type ItemTopic = keyof Items

/** The settings of items, which an operator gives. */
export type ItemSettings = {
  objects: ObjectSettings
  geofences: GeofenceSettings
  routes: RouteSettings
  sites: SiteSettings
}

/** An item of each kind, in the order of snapshots. The change log has the index of a kind: add a new one at the end. */
export const ITEM_NOUNS = {
  objects: 'object',
  geofences: 'geofence',
  routes: 'route',
  sites: 'site',
} as const satisfies Record<ItemTopic, string>

export const ITEM_TOPICS = Object.keys(ITEM_NOUNS) as readonly ItemTopic[]

/** The kinds of items that have settings alone, and no positions or idents: all but the objects. */
export type ListTopic = Exclude<ItemTopic, 'objects'>

export const LIST_TOPICS = ITEM_TOPICS.filter((topic): topic is ListTopic => topic !== 'objects')

/** The rules for the settings of these items. */
export const ITEM_RULES: { readonly [Topic in ListTopic]: Rules<ItemSettings[Topic]> } = {
  geofences: GEOFENCE_RULES,
  routes: ROUTE_RULES,
  sites: SITE_RULES,
}

/** The kinds that count as places: `max_places` limits them together. */
export const PLACE_TOPICS = ['geofences', 'routes', 'sites'] as const satisfies ListTopic[]
export type PlaceTopic = (typeof PLACE_TOPICS)[number]

export function isPlace(topic: string): topic is PlaceTopic {
  return PLACE_TOPICS.some((each) => each === topic)
}

/** The name `Site` of a site in descriptions. */
export function schemaNameOf<Noun extends string>(noun: Noun): Capitalize<Noun> {
  return `${noun[0]!.toUpperCase()}${noun.slice(1)}` as Capitalize<Noun>
}

/** A value for each of some kinds. */
export function byTopic<Topic extends string, Value>(
  topics: readonly Topic[],
  make: (topic: Topic) => Value,
): Record<Topic, Value> {
  const values = topics.map((topic) => [topic, make(topic)])
  return Object.fromEntries(values) as Record<Topic, Value>
}
