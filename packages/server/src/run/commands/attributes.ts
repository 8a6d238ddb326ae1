import type { Command } from 'commander'
import { attributesDocument, sentBy, sentValues } from '../../acts/attribute-values.ts'
import {
  entryWith,
  hideAttributes,
  type Publication,
  publicationOf,
  publishAttributes,
  removeAttributes,
  setAttribute,
} from '../../acts/attributes.ts'
import { ATTRIBUTE_RULES, type AttributeEntry } from '../../base/domain/attributes/catalogue.ts'
import { shownValue } from '../../base/domain/attributes/shown-value.ts'
import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import { DAY_MS, formatInstant } from '../../base/domain/time/time.ts'
import type { Attributes } from '../../engine/store/item-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import {
  addSettingOptions,
  day,
  givenSettings,
  id,
  type OwnerOptions,
  objectOf,
  orAll,
  organizationOf,
  ownerOption,
  settingReader,
} from '../options.ts'
import { confirm, listing, yesOption } from '../terminal.ts'

const NAMES = "names of attributes, as 'attributes list' shows them"

/** The catalogue of attributes: the further values that devices send, and how answers show them. */
export function attributeCommands(description: string): Command {
  return group('attributes', description, [
    command('list', 'list the catalogue, and everything that devices send', [
      'attributes list --org 1',
    ])
      .addOption(ownerOption())
      .action(onStore(list)),
    settable(
      command('set', 'add an attribute, or change settings of one', [
        "attributes set --org 1 fuel_level --sources fuel,io84 --unit l --label 'Fuel'",
        'attributes set --org 1 temperature --sources temp1 --scale 0.1 --decimals 1 --is-public',
      ]),
    ).action(onStore(set)),
    command('publish', 'show attributes to keys; names that devices send become attributes', [
      'attributes publish --org 1 fuel_level driver',
      'attributes publish --org 1 --all',
      'attributes publish --org 1 --all --except driverUniqueId',
    ])
      .argument('[names...]', `${NAMES}, or names that devices send`)
      .addOption(ownerOption())
      .addOption(option('--all', 'all that devices send; attributes that are hidden stay hidden'))
      .addOption(
        option(
          '--except <names...>',
          'with --all: names that devices send, which become hidden attributes',
        ),
      )
      .addOption(yesOption())
      .action(onStore(publish)),
    command('hide', 'hide attributes from keys', ['attributes hide --org 1 driver'])
      .argument('<names...>', NAMES)
      .addOption(ownerOption())
      .action(onStore(hide)),
    command('remove', 'remove attributes from the catalogue; stored values stay', [
      'attributes remove --org 1 driver --yes',
    ])
      .argument('<names...>', NAMES)
      .addOption(ownerOption())
      .addOption(yesOption())
      .action(onStore(remove)),
    settable(
      command(
        'preview',
        'show the values of a day as the device sent them and as answers show them',
        [
          'attributes preview --org 1 fuel_level --object 7 --day 2026-11-20',
          'attributes preview --org 1 fuel_level --object 7 --day 2026-11-20 --scale 0.5',
        ],
      ),
    )
      .addOption(
        option('--object <id>', 'the object; required').argParser(id).makeOptionMandatory(),
      )
      .addOption(
        option('--day <date>', 'the day in UTC; required').argParser(day).makeOptionMandatory(),
      )
      .action(onStore(preview)),
  ])
}

type Given = OwnerOptions & Record<string, unknown>

function settable(to: Command): Command {
  return addSettingOptions(
    to
      .argument(
        '<name>',
        `its name: ${ATTRIBUTE_RULES.name.says}`,
        settingReader(ATTRIBUTE_RULES.name),
      )
      .addOption(ownerOption()),
    ATTRIBUTE_RULES,
    ['name'],
    orAll,
  )
}

/** The command line shows all names on one page. */
const EVERY_NAME = { after: null, limit: Number.POSITIVE_INFINITY }

async function sentIn(store: Store, { org }: OwnerOptions) {
  await organizationOf(store, org)
  return sentBy(await store.positions.states(org))
}

async function list(store: Store, options: OwnerOptions): Promise<CommandResult> {
  const sent = await sentIn(store, options)
  const entries = await store.attributes.list(options.org)
  const { next: _, ...json } = attributesDocument(entries, sent, EVERY_NAME)
  const catalogue = catalogueText(json.items)
  const names = listing(json.sent, [
    ['SENT BY DEVICES', ({ name }) => harmless(name)],
    ['LAST VALUE', ({ value }) => textOf(value)],
    ['AT', ({ value_at }) => value_at],
    'objects',
    'positions',
    ['ATTRIBUTES', ({ attributes }) => attributes.join(', ')],
  ])
  return { json, text: `${catalogue}\n\n${names.text}` }
}

type Document = ReturnType<typeof attributesDocument>['items'][number]

function catalogueText(items: readonly Document[]): string {
  return listing(items, [
    'name',
    'type',
    'unit',
    ['LABEL', ({ label }) => harmless(label)],
    ['SOURCES', ({ sources }) => harmless(sources.join(', '))],
    ['VALUE', ({ value }) => textOf(value)],
    ['AT', ({ value_at }) => value_at],
    ['PUBLIC', ({ is_public }) => (is_public ? 'yes' : 'no')],
  ]).text
}

function textOf(value: AttributeValue | null | undefined): string | null {
  return value === null || value === undefined ? null : harmless(String(value))
}

async function set(store: Store, options: Given, name: string): Promise<CommandResult> {
  await organizationOf(store, options.org)
  const given = { ...givenSettings<AttributeEntry>(ATTRIBUTE_RULES, options), name }
  return changed(store, options, await setAttribute(store, options.org, given), [name])
}

async function publish(
  store: Store,
  options: OwnerOptions & { all?: boolean; except?: string[]; yes?: boolean },
  given: string[],
): Promise<CommandResult> {
  const { org, all = false, except = [] } = options
  if ((given.length === 0) !== all) throw new UsageError('give names of attributes, or --all')
  if (except.length > 0 && !all) throw new UsageError('--except requires --all')
  const sent = await sentIn(store, options)
  const wanted = { names: all ? null : given, except }
  if (all) {
    const asked = publicationOf(await store.attributes.list(org), wanted, sent)
    await confirm(publicationText(asked), options)
  }
  const { entries, ...names } = await publishAttributes(store, org, wanted, sent)
  const { items } = attributesDocument(entries, sent, EVERY_NAME)
  const text = `${publicationText(names)}\n\n${catalogueText(items)}`
  return { json: { items, ...names }, text }
}

function publicationText({ published, hidden }: Omit<Publication, 'entries'>): string {
  const [seen, unseen] = [published, hidden].map((names) => names.join(', ') || 'none')
  return `attributes that keys will also see: ${seen}; attributes that stay hidden: ${unseen}`
}

async function hide(store: Store, options: OwnerOptions, names: string[]): Promise<CommandResult> {
  await organizationOf(store, options.org)
  return changed(store, options, await hideAttributes(store, options.org, names), names)
}

async function remove(
  store: Store,
  options: OwnerOptions & { yes?: boolean },
  names: string[],
): Promise<CommandResult> {
  await organizationOf(store, options.org)
  await confirm(`this removes ${names.map(harmless).join(', ')} from the catalogue`, options)
  return changed(store, options, await removeAttributes(store, options.org, names), null)
}

/** The attributes with these names after a change. Null: all. */
async function changed(
  store: Store,
  options: OwnerOptions,
  entries: Attributes,
  names: readonly string[] | null,
): Promise<CommandResult> {
  const shown = entries.filter(({ name }) => names?.includes(name) ?? true)
  const { items } = attributesDocument(shown, await sentIn(store, options), EVERY_NAME)
  return { json: items, text: catalogueText(items) }
}

type PreviewOptions = Given & { object: number; day: number }

async function preview(
  store: Store,
  options: PreviewOptions,
  name: string,
): Promise<CommandResult> {
  await organizationOf(store, options.org)
  const object = await objectOf(store, options.org, options.object)
  const given = { ...givenSettings<AttributeEntry>(ATTRIBUTE_RULES, options), name }
  const entry = entryWith(await store.attributes.list(options.org), given)
  const range = { from: options.day, to: options.day + DAY_MS - 1 }
  const { items } = await sentValues(store.positions, object, range, entry.sources)
  const json = items.map(({ time_device, values }) => {
    const source = entry.sources.find((each) => each in values)!
    return {
      time_device,
      source,
      value: values[source]!,
      shown: shownValue(values[source]!, entry) ?? null,
    }
  })
  if (json.length === 0) {
    const sources = harmless(entry.sources.join(', '))
    return {
      json,
      text: `Object ${object.id} sent no ${sources} on ${formatInstant(options.day).slice(0, 10)}.`,
    }
  }
  return listing(json, [
    'time_device',
    ['SOURCE', ({ source }) => harmless(source)],
    ['VALUE', ({ value }) => textOf(value)],
    ['SHOWN', ({ shown }) => textOf(shown)],
  ])
}
