import type { MonitoredObject, ObjectSettings } from './monitored-object.ts'
import type {
  Geofence,
  GeofenceSettings,
  Route,
  RouteSettings,
  Site,
  SiteSettings,
} from './places/place.ts'
import { GEOFENCE_RULES, ROUTE_RULES, SITE_RULES } from './places/place-settings.ts'
import type { Rules } from './setting-rule.ts'

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

/** The types of derived records. */
export const RECORD_TYPES = ['trips', 'stops', 'visits', 'levels'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** The types of entries that every organization has in its changes. */
export const GIVEN_TYPES = ['positions', 'states', ...ITEM_TOPICS] as const

/** The types of entries in the changes of an organization, as the parameter `types` names them. */
export const CHANGE_TYPES = [...GIVEN_TYPES, ...RECORD_TYPES] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** Whether a reader of these types gets derived records. */
export function includesRecords(types: ReadonlySet<ChangeType>): boolean {
  return RECORD_TYPES.some((type) => types.has(type))
}

/** The start of a reader of changes. */
export const CHANGES_FROM = ['snapshot', 'history', 'now'] as const
export type ChangesFrom = (typeof CHANGES_FROM)[number]
