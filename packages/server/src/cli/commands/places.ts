import type { Command } from 'commander'
import { encodeListed } from '../../api/encode/listed-kinds.ts'
import {
  ITEM_NOUNS,
  ITEM_RULES,
  type ItemSettings,
  type Items,
  LIST_TOPICS,
  type ListTopic,
} from '../../domain/items.ts'
import { firstFault, type Rule, type Rules } from '../../domain/settings/rule.ts'
import { linesOf, ringOf } from '../../import/geometry.ts'
import { refuse } from '../../operator/input.ts'
import type { ItemStore } from '../../store/item-store.ts'
import { geometryIn, geometryOption } from './geometry-file.ts'
import { type ItemCommandKind, itemCommands } from './items.ts'
import { addSettingOptions, givenSettings } from './setting-options.ts'

/** The texts and columns of a kind's commands. `geometry`: how its coordinates are read from a file. */
type Face = Pick<ItemCommandKind<never, never>, 'description' | 'example' | 'columns'> & {
  geometry?: { types: string; read: Parameters<typeof geometryIn>[1] }
}

const FACES: Readonly<Record<ListTopic, Face>> = {
  geofences: {
    description: 'geofences: polygon zones',
    example: "--name 'City centre' --color '#ff8800'",
    columns: ['id', 'name', 'color', ['VERTICES', lengthOf('coordinates')], 'updated_at'],
    geometry: { types: 'Polygon', read: ringOf },
  },
  routes: {
    description: 'routes: planned ways with waypoints',
    example: "--name 'Harbour loop' --deviation 150",
    columns: ['id', 'name', 'color', 'deviation', ['WAYPOINTS', lengthOf('points')], 'updated_at'],
    geometry: { types: 'LineString or MultiLineString', read: linesOf },
  },
  sites: {
    description: 'sites: circular points of interest',
    example: '--radius 80 --icon warehouse',
    columns: ['id', 'name', 'icon', 'latitude', 'longitude', 'radius', 'updated_at'],
  },
}

/** The commands of the items that have settings alone. */
export function listedCommands(): Command[] {
  return LIST_TOPICS.map((topic) => itemCommands(commandKind(topic)))
}

function commandKind<Topic extends ListTopic>(
  topic: Topic,
): ItemCommandKind<Items[Topic], ItemSettings[Topic]> {
  const { geometry, ...face } = FACES[topic]
  const rules = ITEM_RULES[topic] as Rules<ItemSettings[Topic]>
  const lists = Object.entries<Rule>(rules)
    .filter(([, { schema }]) => schema.type === 'array')
    .map(([setting]) => setting)
  return {
    plural: topic,
    singular: ITEM_NOUNS[topic],
    ...face,
    hasOwnName: true,
    store: (store) => store[topic] as unknown as ItemStore<Items[Topic], ItemSettings[Topic]>,
    documents: async (_store, _owner, items) =>
      items.map((item): Record<string, unknown> => JSON.parse(encodeListed(topic, item))),
    addOptions(update) {
      const made = addSettingOptions(update, rules, lists as never)
      return geometry === undefined ? made : made.addOption(geometryOption(geometry.types))
    },
    patch({ geometry: file, ...options }) {
      const settings = givenSettings(rules, options)
      if (geometry !== undefined && typeof file === 'string') {
        Object.assign(settings, { coordinates: geometryIn(file, geometry.read) })
      }
      refuse(firstFault(rules, settings))
      return settings
    },
  }
}

function lengthOf(list: string) {
  return (document: Record<string, unknown>) => (document[list] as unknown[]).length
}
