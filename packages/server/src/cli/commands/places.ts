import { readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { encodeListed } from '../../api/encode/listed-kinds.ts'
import {
  ITEM_NOUNS,
  ITEM_RULES,
  type ItemSettings,
  type Items,
  LIST_TOPICS,
  type ListTopic,
} from '../../domain/items.ts'
import { firstFault, type Rule, type Rules } from '../../domain/setting-rule.ts'
import { linesOf, ringOf } from '../../import/geometry.ts'
import { type Fault, isFault, noRemarks, type Remarks } from '../../import/row.ts'
import { refuse } from '../../operator/input.ts'
import type { ItemStore } from '../../store/item-store.ts'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { addSettingOptions, givenSettings } from '../options.ts'
import { type ItemCommandKind, itemCommands } from './items.ts'

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

function geometryOption(shape: string): Option {
  return option('--geometry <file>', `GeoJSON file with the new ${shape}, as it is or as a feature`)
}

/** Reads the single geometry of a GeoJSON file by the rules of imports. */
export function geometryIn<Coordinates extends object>(
  file: string,
  read: (geometry: unknown, remarks: Remarks) => Coordinates | Fault,
): Coordinates {
  const remarks = noRemarks()
  const coordinates = read(geometryOf(parse(file), file), remarks)
  if (isFault(coordinates)) throw new Error(`'${file}': ${coordinates.detail}`)
  return coordinates
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`'${file}' is not JSON: ${error.message}`)
    throw new UsageError(`'${file}' cannot be read: ${(error as Error).message}`)
  }
}

function geometryOf(given: unknown, file: string): unknown {
  const { type, geometry, features } = (given ?? {}) as Record<string, unknown>
  if (type === 'Feature') return geometry
  if (type !== 'FeatureCollection') return given
  if (!Array.isArray(features) || features.length !== 1) {
    throw new Error(`'${file}' must hold one feature, not ${(features as unknown[])?.length ?? 0}`)
  }
  return geometryOf(features[0], file)
}
