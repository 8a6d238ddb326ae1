import type { Command } from 'commander'
import { type ActCall, objectOf, organizationOf } from '../../acts/act.ts'
import { ATTRIBUTE_ACTS } from '../../acts/attribute-acts.ts'
import { entryWith, type Publication } from '../../acts/attribute-bodies.ts'
import type { Body } from '../../acts/input.ts'
import { type ATTRIBUTES, sentValues } from '../../acts/sent-values.ts'
import {
  ATTRIBUTE_RULES,
  type AttributeEntry,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import {
  type GivenSource,
  sourceNames,
  sourceOf,
} from '../../base/domain/attributes/attribute-source.ts'
import { FAULT_WORDS, previewOf } from '../../base/domain/attributes/value-preview.ts'
import { addAll } from '../../base/domain/common/any-number.ts'
import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import { DAY_MS, formatInstant } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import { actCommand, callOn, runAct } from '../act-command.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import {
  addSettingOptions,
  day,
  givenSettings,
  id,
  type OwnerOptions,
  orAll,
  ownerOption,
  settingReader,
} from '../options.ts'
import { counted, listing } from '../terminal.ts'
import { eraseCommand, findCommand } from './attribute-value-commands.ts'

const NAMES = "names of attributes, as 'attributes list' shows them"
const acts = ATTRIBUTE_ACTS

/** The catalogue of attributes: the further values that devices send, and how answers show them. */
export function attributeCommands(description: string): Command {
  return group('attributes', description, [
    actCommand(acts.listAttributes, {
      name: 'list',
      description: 'list the catalogue, and everything that devices send',
      examples: ['attributes list --org 1'],
      query: () => ({ limit: LARGEST_PAGE }),
      show: listed,
    }),
    actCommand(acts.setAttribute, {
      name: 'set',
      description: 'add an attribute, or change settings of one',
      examples: [
        "attributes set --org 1 fuel_level --sources fuel,io84 --unit l --label 'Fuel'",
        'attributes set --org 1 temperature --sources temp1 --scale 0.1 --decimals 1 --is-public',
      ],
      settings: SETTINGS,
      options: withName,
      body: (_, __, name: string) => ({ name }),
      show: ({ items }, { body }) => answerOf(items.filter(({ name }) => name === body.name)),
    }),
    publishCommand(),
    actCommand(acts.hideAttributes, {
      name: 'hide',
      examples: ['attributes hide --org 1 driver'],
      options: withNames,
      body: chosen,
      show: ({ items }, { body }) =>
        answerOf(items.filter(({ name }) => (body.names as string[]).includes(name))),
    }),
    actCommand(acts.removeAttributes, {
      name: 'remove',
      description: 'remove attributes from the catalogue; stored values stay',
      examples: ['attributes remove --org 1 driver --yes'],
      options: withNames,
      body: chosen,
      confirms: async ({ body }) =>
        `this removes ${(body.names as string[]).map(harmless).join(', ')} from the catalogue`,
      show: ({ items }) => answerOf(items),
    }),
    forgetCommand(),
    findCommand(),
    eraseCommand(),
    previewCommand(),
  ])
}

function publishCommand(): Command {
  return actCommand(acts.publishAttributes, {
    name: 'publish',
    examples: [
      'attributes publish --org 1 fuel_level driver',
      'attributes publish --org 1 --all',
      'attributes publish --org 1 --all --except driverUniqueId',
    ],
    options: (to) =>
      to
        .argument('[names...]', `${NAMES}, or names that devices send`)
        .addOption(option('--all', 'all that devices send; attributes that are hidden stay hidden'))
        .addOption(
          option(
            '--except <names...>',
            'with --all: names that devices send, which become hidden attributes',
          ),
        ),
    body({ all = false, except = [] }, _, names: string[]) {
      if ((names.length === 0) !== all) throw new UsageError('name the attributes, or use --all')
      const hasExceptions = (except as string[]).length > 0
      if (hasExceptions && !all) throw new UsageError('--except requires --all')
      return { names: all ? null : names, ...(hasExceptions && { except }) }
    },
    async confirms(call) {
      if (call.body.names !== null) return null
      const dry = { ...call, body: { ...call.body, dry_run: true } }
      return publicationText(await runAct(acts.publishAttributes, dry))
    },
    show({ items, published, hidden }) {
      const text = `${publicationText({ published, hidden })}\n\n${catalogueText(items)}`
      return { json: { items, published, hidden }, text }
    },
  })
}

function forgetCommand(): Command {
  return actCommand(acts.forgetAttributes, {
    name: 'forget',
    examples: ['attributes forget --org 1 io500 io501', 'attributes forget --org 1 --all'],
    options: (to) =>
      to
        .argument('[names...]', 'names of devices that no attribute shows')
        .addOption(option('--all', 'all of those')),
    body({ all = false }, _, names: string[]) {
      if ((names.length === 0) !== all) throw new UsageError('name the device names, or use --all')
      return { names: all ? null : names }
    },
    async confirms(call) {
      const dry = { ...call, body: { ...call.body, dry_run: true } }
      const { forgotten } = await runAct(acts.forgetAttributes, dry)
      return `this forgets ${harmless(forgotten.join(', ')) || 'no name'}`
    },
    show({ forgotten }) {
      return { json: forgotten, text: `Forgot ${counted(forgotten.length, 'name')}.` }
    },
  })
}

function publicationText({ published, hidden }: Omit<Publication, 'entries'>): string {
  const [seen, unseen] = [published, hidden].map((names) => names.join(', ') || 'none')
  return `attributes that keys will also see: ${seen}; attributes that stay hidden: ${unseen}`
}

function withNames(to: Command): Command {
  return to.argument('<names...>', NAMES)
}

function chosen(_: unknown, __: ActCall, names: string[]): Body {
  return { names }
}

const SETTINGS = { others: ['name'], clearable: orAll }

function withName(to: Command): Command {
  const rule = ATTRIBUTE_RULES.name
  return to.argument('<name>', `its name: ${rule.says}`, settingReader(rule))
}

type Page = ReturnType<typeof ATTRIBUTES.write>
const LARGEST_PAGE = '1000'

/** The names of all pages. */
async function listed({ items, ...first }: Page, call: ActCall): Promise<CommandResult> {
  const sent = [...first.sent]
  for (let after = first.next; after !== null; ) {
    const query = new URLSearchParams({ after, limit: LARGEST_PAGE })
    const page = await runAct(acts.listAttributes, { ...call, query })
    addAll(sent, page.sent)
    after = page.next
  }
  const names = listing(sent, [
    ['SENT BY DEVICES', ({ name }) => harmless(name)],
    ['LAST VALUE', ({ value }) => textOf(value)],
    ['AT', ({ value_at }) => value_at],
    'objects',
    'positions',
    ['ATTRIBUTES', ({ attributes }) => attributes.join(', ')],
  ])
  return { json: { items, sent }, text: `${catalogueText(items)}\n\n${names.text}` }
}

function answerOf(json: Page['items']): CommandResult {
  return { json, text: catalogueText(json) }
}

function catalogueText(items: Page['items']): string {
  return listing(items, [
    'name',
    'type',
    'unit',
    ['LABEL', ({ label }) => harmless(label)],
    ['SOURCES', ({ sources }) => harmless(sources.map(sourceText).join(', '))],
    ['VALUE', ({ value }) => textOf(value)],
    ['AT', ({ value_at }) => value_at],
    ['NO VALUE', ({ no_value }) => unshownText(no_value)],
    ['OUT OF RANGE', ({ out_of_range }) => unshownText(out_of_range)],
    ['WRONG TYPE', ({ wrong_type }) => unshownText(wrong_type)],
    ['PUBLIC', ({ is_public }) => (is_public ? 'yes' : 'no')],
  ]).text
}

/** `fuel × 0.1 + 5 of 7, 8`. */
function sourceText(given: GivenSource): string {
  const { name, scale, offset, table, objects, capacity } = sourceOf(given)
  return [
    name,
    ...(scale === undefined ? [] : [`× ${scale}`]),
    ...(offset === undefined ? [] : [`+ ${offset}`]),
    ...(table === undefined ? [] : [`by ${table.length} points`]),
    ...(capacity === undefined ? [] : [`up to ${capacity}`]),
    ...(objects === undefined ? [] : [`of ${objects.join(' ')}`]),
  ].join(' ')
}

/** `12, e.g. 85 of object 7`. */
function unshownText(unshown: Page['items'][number]['no_value']): string | null {
  if (unshown === null) return null
  const { count, value, object } = unshown
  return `${count}, e.g. ${harmless(JSON.stringify(value))} of object ${object}`
}

function textOf(value: AttributeValue | null | undefined): string | null {
  return value === null || value === undefined ? null : harmless(String(value))
}

/** The console computes the same from the values that the admin API answers. */
function previewCommand(): Command {
  const made = command(
    'preview',
    'show the values of a day as the device sent them and as answers show them',
    [
      'attributes preview --org 1 fuel_level --object 7 --day 2026-11-20',
      'attributes preview --org 1 fuel_level --object 7 --day 2026-11-20 --scale 0.5',
    ],
  )
  const named = withName(made.addOption(ownerOption()))
  return addSettingOptions(named, ATTRIBUTE_RULES, SETTINGS.others, SETTINGS.clearable)
    .addOption(option('--object <id>', 'the object; required').argParser(id).makeOptionMandatory())
    .addOption(
      option('--day <date>', 'the day in UTC; required').argParser(day).makeOptionMandatory(),
    )
    .action(onStore(preview))
}

type PreviewOptions = OwnerOptions & Record<string, unknown> & { object: number; day: number }

async function preview(
  store: Store,
  options: PreviewOptions,
  name: string,
): Promise<CommandResult> {
  const call = callOn(store, { organization: options.org, object: options.object })
  await runAct({ run: organizationOf }, call)
  const object = await runAct({ run: objectOf }, call)
  const given = { ...givenSettings<AttributeEntry>(ATTRIBUTE_RULES, options), name }
  const range = { from: options.day, to: options.day + DAY_MS - 1 }
  const entries = await store.attributes.list(options.org)
  const sources = sourceNames(entryWith(entries, given, new Map()))
  const { items } = await sentValues(store.positions, object, range, sources)
  call.disclosed.rows(object.id, 'positions', items.length)
  await call.known.writeCounts()
  const valuesOf = (source: string) => items.flatMap(({ values }) => values[source] ?? [])
  const sent = new Map(sources.map((source) => [source, valuesOf(source)]))
  const entry = entryWith(entries, given, sent)
  const json = items.flatMap(({ time_device, values }) => {
    const preview = previewOf(entry, object.id, values)
    return preview === undefined ? [] : [{ time_device, ...preview }]
  })
  if (json.length === 0) {
    const names = harmless(sources.join(', '))
    return {
      json,
      text: `Object ${object.id} sent no ${names} on ${formatInstant(options.day).slice(0, 10)}.`,
    }
  }
  return listing(json, [
    'time_device',
    ['SOURCE', ({ source }) => harmless(source)],
    ['VALUE', ({ value }) => textOf(value)],
    ['SHOWN', ({ shown, fault }) => textOf(shown) ?? (fault && FAULT_WORDS[fault])],
  ])
}
