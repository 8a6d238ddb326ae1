import { readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import type { Act } from '../../acts/act.ts'
import type { JsonReply, StreamedReply } from '../../acts/act-reply.ts'
import { PLACE_ACTS } from '../../acts/place-acts.ts'
import { plainJson } from '../../base/domain/common/plain-json.ts'
import { ITEM_NOUNS, ITEM_RULES, type ListTopic } from '../../base/domain/item-rules.ts'
import type { Rules } from '../../base/domain/setting-rule.ts'
import { linesOf, ringOf } from '../../work/import/geometry.ts'
import { type Fault, isFault, noRemarks, type Remarks } from '../../work/import/row.ts'
import { type ActFace, actCommand, runAct } from '../act-command.ts'
import { type CommandResult, group, option } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import { type Cell, type Column, card, listing } from '../terminal.ts'

/*
 * Commands about the items of an organization; those that have settings alone have only these.
 */

/** An item as its act answers it. */
type Row = Record<string, unknown>

/** The acts of the commands. */
export type ItemActs = {
  list: Act<{ items: Row[] } | JsonReply<{ items: Row[] }> | StreamedReply<{ items: Row[] }>>
  get: Act<Row | JsonReply<Row>>
  update: Act<Row | JsonReply<Row>>
  delete: Act
}

/** A kind of item that organizations own, and how the command line shows and changes it. */
export type ItemCommandKind = {
  /** The command's name: `objects`. */
  plural: string
  singular: string
  /** The name of its id in the paths of the acts. */
  number: string
  acts: ItemActs
  description: string
  /** Example options of `update`. */
  example: string
  /** The data that is deleted with an item. */
  dependents?: string
  /** The columns of the table. */
  columns: readonly Column<Row>[]
  /** The face of `update`. */
  update: Pick<ActFace<Row>, 'settings' | 'options' | 'body'>
}

/** `list`, `show`, `update` and `delete` of one kind. */
export function itemCommands(kind: ItemCommandKind): Command {
  const { plural, singular, acts, number, dependents = '' } = kind
  const numbers = { [number]: { as: 'id' } }
  return group(plural, kind.description, [
    actCommand(acts.list, {
      name: 'list',
      description: `list an organization's ${plural}`,
      examples: [`${plural} list --org 1`],
      show: ({ items }) => listing(items, kind.columns),
    }),
    actCommand(acts.get, {
      ...{ name: 'show', numbers, show: cardOf },
      description: `show one ${singular}`,
      examples: [`${plural} show --org 1 7`],
    }),
    actCommand(acts.update, {
      ...{ name: 'update', numbers, show: cardOf, ...kind.update },
      description: 'change the settings that are given',
      examples: [`${plural} update --org 1 7 ${kind.example}`],
    }),
    actCommand(acts.delete, {
      ...{ name: 'delete', numbers },
      description: `delete one ${singular}${dependents}`,
      examples: [`${plural} delete --org 1 7 --yes`],
      async deletes(call) {
        const { id, name } = await runAct(acts.get, call)
        return `${singular} ${id}, '${harmless(String(name))}'${dependents}`
      },
      show: (_, { params }, { deleted }) => ({
        json: { id: params[number], deleted: true },
        text: `Deleted ${deleted}`,
      }),
    }),
  ])
}

function cardOf(json: Row): CommandResult {
  return { json, text: card(flat(json)) }
}

/** A document's fields in a card: nested fields next to the others, lists as JSON. */
function flat(document: Record<string, unknown>): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(document).flatMap(([name, value]): [string, Cell][] => {
      if (value === null || typeof value === 'number') return [[name, value]]
      if (Array.isArray(value)) return [[name, plainJson(value)]]
      if (typeof value === 'object') return Object.entries(flat(value as Record<string, unknown>))
      return [[name, String(value)]]
    }),
  )
}

/** The texts and columns of a kind's commands. `geometry`: how its coordinates are read from a file. */
type Face = Pick<ItemCommandKind, 'example' | 'columns'> & {
  geometry?: { types: string; read: Parameters<typeof geometryIn>[1] }
}

const FACES: Readonly<Record<ListTopic, Face>> = {
  geofences: {
    example: "--name 'City centre' --color '#ff8800'",
    columns: ['id', 'name', 'color', ['VERTICES', lengthOf('coordinates')], 'updated_at'],
    geometry: { types: 'Polygon', read: ringOf },
  },
  routes: {
    example: "--name 'Harbour loop' --deviation 150",
    columns: ['id', 'name', 'color', 'deviation', ['WAYPOINTS', lengthOf('points')], 'updated_at'],
    geometry: { types: 'LineString or MultiLineString', read: linesOf },
  },
  sites: {
    example: '--radius 80 --icon warehouse',
    columns: ['id', 'name', 'icon', 'latitude', 'longitude', 'radius', 'updated_at'],
  },
}

/** The commands of items that have settings alone. */
export function listedCommands(topic: ListTopic, description: string): Command {
  const { geometry, ...face } = FACES[topic]
  const rules = ITEM_RULES[topic] as Rules<Row>
  const lists = Object.keys(rules).filter((setting) => rules[setting]!.schema.type === 'array')
  return itemCommands({
    ...{ plural: topic, singular: ITEM_NOUNS[topic], number: 'place', description, ...face },
    acts: PLACE_ACTS[topic],
    update: {
      settings: { others: lists },
      ...(geometry && {
        options: (to) => to.addOption(geometryOption(geometry.types)),
        body: ({ geometry: file }) =>
          typeof file === 'string' ? { coordinates: geometryIn(file, geometry.read) } : {},
      }),
    },
  })
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
    throw new Error(
      `'${file}' must contain one feature, not ${(features as unknown[])?.length ?? 0}`,
    )
  }
  return geometryOf(features[0], file)
}
