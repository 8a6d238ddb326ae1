import { readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { refuse } from '../../acts/input.ts'
import { refuseTakenName } from '../../acts/refused.ts'
import { plainJson } from '../../base/domain/common/json.ts'
import {
  ITEM_NOUNS,
  ITEM_RULES,
  type ItemSettings,
  type Items,
  type ListTopic,
} from '../../base/domain/items.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { firstFault, type Rule, type Rules } from '../../base/domain/setting-rule.ts'
import type { ItemStore } from '../../engine/store/item-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { encodeListed } from '../../read/encode/listed-kinds.ts'
import { linesOf, ringOf } from '../../work/import/geometry.ts'
import {
  type Fault,
  isFault,
  noRemarks,
  placeLimitFault,
  type Remarks,
} from '../../work/import/row.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { harmless, say, UsageError } from '../failure.ts'
import {
  addSettingOptions,
  givenSettings,
  id,
  notOwned,
  type OwnerOptions,
  organizationOf,
  ownerOption,
  refuseEmpty,
} from '../options.ts'
import { type Cell, type Column, card, confirm, listing, yesOption } from '../terminal.ts'

/*
 * Commands about the items of an organization; those that have settings alone have only these.
 */

/** A kind of item that organizations own, and how the command line shows and changes it. */
export type ItemCommandKind<Item extends { id: number; name: string }, Settings> = {
  /** The command's name: `objects`. */
  plural: string
  singular: string
  description: string
  /** Example options of `update`. */
  example: string
  /** The data that is deleted with an item. */
  dependents?: string
  store(store: Store): ItemStore<Item, Settings>
  /** The items as the API documents them. */
  documents(store: Store, owner: Organization, items: Item[]): Promise<Record<string, unknown>[]>
  /** The columns of the table. */
  columns: readonly Column<Record<string, unknown>>[]
  addOptions(update: Command): Command
  /** The changes that the options of `update` ask for. */
  patch(options: Record<string, unknown>, item: Item, owner: Organization): Partial<Settings>
  /** Whether no other item of the kind may have the name. */
  hasOwnName: boolean
  /** A further step that the user must take after an update, as a sentence for stderr. */
  advice?(store: Store, before: Item, after: Item): Promise<string | undefined>
}

/** `list`, `show`, `update` and `delete` of one kind. */
export function itemCommands<Item extends { id: number; name: string }, Settings>(
  kind: ItemCommandKind<Item, Settings>,
): Command {
  const { plural, singular } = kind
  const { list, show, update, remove } = itemActions(kind)
  const idOf = (made: Command) => made.argument('<id>', 'its id', id).addOption(ownerOption())
  return group(plural, kind.description, [
    command('list', `list an organization's ${plural}`, [`${plural} list --org 1`])
      .addOption(ownerOption())
      .action(onStore(list)),
    idOf(command('show', `show one ${singular}`, [`${plural} show --org 1 7`])).action(
      onStore(show),
    ),
    kind
      .addOptions(
        idOf(
          command('update', 'change the settings that are given', [
            `${plural} update --org 1 7 ${kind.example}`,
          ]),
        ),
      )
      .action(onStore(update)),
    idOf(
      command('delete', `delete one ${singular}${kind.dependents ?? ''}`, [
        `${plural} delete --org 1 7 --yes`,
      ]),
    )
      .addOption(yesOption())
      .action(onStore(remove)),
  ])
}

function itemActions<Item extends { id: number; name: string }, Settings>(
  kind: ItemCommandKind<Item, Settings>,
) {
  const { singular } = kind

  async function list(store: Store, { org }: OwnerOptions): Promise<CommandResult> {
    const owner = await organizationOf(store, org)
    const items = await kind.store(store).list(org)
    const json = await kind.documents(store, owner, items)
    return listing(json, kind.columns)
  }

  async function show(store: Store, { org }: OwnerOptions, itemId: number): Promise<CommandResult> {
    const owner = await organizationOf(store, org)
    return resultOf(store, owner, await itemOf(store, org, itemId))
  }

  async function update(
    store: Store,
    options: OwnerOptions & Record<string, unknown>,
    itemId: number,
  ): Promise<CommandResult> {
    const { org } = options
    const owner = await organizationOf(store, org)
    const item = await itemOf(store, org, itemId)
    const patch = kind.patch(options, item, owner)
    refuseEmpty(patch)
    const items = kind.store(store)
    if (kind.hasOwnName) await refuseTakenName(items, org, singular, patch, itemId)
    const updated = await items.update(org, itemId, patch, Date.now())
    if (updated === 'ident_taken') {
      throw new Error(`ident '${options.ident}' belongs to another object of organization ${org}`)
    }
    if (updated === null) throw notOwned(kind, org, itemId)
    if ('outcome' in updated) throw new Error(placeLimitFault(owner, updated).detail)
    const advice = await kind.advice?.(store, item, updated)
    if (advice !== undefined) say(advice)
    return resultOf(store, owner, updated)
  }

  async function remove(
    store: Store,
    options: OwnerOptions & { yes?: boolean },
    itemId: number,
  ): Promise<CommandResult> {
    await organizationOf(store, options.org)
    const item = await itemOf(store, options.org, itemId)
    const what = `${singular} ${itemId}, '${harmless(item.name)}'${kind.dependents ?? ''}`
    await confirm(`this deletes ${what}`, options)
    if (!(await kind.store(store).delete(options.org, itemId))) {
      throw notOwned(kind, options.org, itemId)
    }
    return { json: { id: itemId, deleted: true }, text: `Deleted ${what}` }
  }

  async function itemOf(store: Store, organization: number, itemId: number): Promise<Item> {
    const item = await kind.store(store).find(organization, itemId)
    if (item === null) throw notOwned(kind, organization, itemId)
    return item
  }

  async function resultOf(store: Store, owner: Organization, item: Item): Promise<CommandResult> {
    const [json] = await kind.documents(store, owner, [item])
    return { json: json!, text: card(flat(json!)) }
  }

  return { list, show, update, remove }
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
type Face = Pick<ItemCommandKind<never, never>, 'example' | 'columns'> & {
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
  return itemCommands({ ...commandKind(topic), description })
}

function commandKind<Topic extends ListTopic>(
  topic: Topic,
): Omit<ItemCommandKind<Items[Topic], ItemSettings[Topic]>, 'description'> {
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
