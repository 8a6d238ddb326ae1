import type { Command } from 'commander'
import type { ActCall } from '../../acts/act.ts'
import { readersOf, VALUE_ACTS } from '../../acts/value-acts.ts'
import { addAll } from '../../base/domain/common/any-number.ts'
import { MOMENT } from '../../base/domain/setting-rule.ts'
import type { Store } from '../../engine/store/store.ts'
import { openSource } from '../../work/import/import-source.ts'
import { callOn, runAct } from '../act-command.ts'
import { type CommandResult, command, onStore, option } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import { id, type OwnerOptions, ownerOption, settingReader } from '../options.ts'
import {
  confirm,
  counted,
  grouped,
  listing,
  quietOption,
  withProgress,
  yesOption,
} from '../terminal.ts'
import { eraseAll, FAILURES, readersText } from './position-commands.ts'

/*
 * Commands that find values of attributes in stored positions, and erase them.
 */

type FindOptions = OwnerOptions & { value?: string; object?: number; from?: string; to?: string }
type EraseOptions = FindOptions & { dryRun?: boolean; yes?: boolean; quiet?: boolean }

const momentOption = (flag: string, words: string) =>
  option(`${flag} <time>`, words).argParser(settingReader(MOMENT))

function withOptions(made: Command): Command {
  return made
    .argument('[names...]', 'names that devices use for it; left out: all, with --value')
    .addOption(ownerOption())
    .addOption(option('--value <text>', 'the value; - reads it from the standard input'))
    .addOption(option('--object <id>', 'only this object').argParser(id))
    .addOption(momentOption('--from', 'only from this time_device on'))
    .addOption(momentOption('--to', 'only up to this time_device, included'))
}

export function findCommand(): Command {
  const made = command('find', 'find the objects whose stored positions have a value', [
    "attributes find --org 1 --value 'A. Kaya'",
    'attributes find --org 1 driverUniqueId --object 7',
  ])
  return withOptions(made).action(
    onStore(async (store: Store, options: FindOptions, names: string[]) => {
      const call = await callOf(store, options, names)
      return foundText(await allPages(call, (page) => runAct(VALUE_ACTS.findValues, page)))
    }),
  )
}

export function eraseCommand(): Command {
  const made = command(
    'erase',
    'erase values of attributes from positions, and store none of them again',
    [
      'attributes erase --org 1 --value - --dry-run',
      'attributes erase --org 1 driver --object 7 --from 2026-11-17T00:00:00Z --to 2026-11-18T00:00:00Z',
    ],
  )
  return withOptions(made)
    .addOption(option('--dry-run', 'show what would be erased, and who was given it'))
    .addOption(quietOption())
    .addOption(yesOption())
    .action(onStore(eraseValues))
}

async function callOf(store: Store, options: FindOptions, names: string[]): Promise<ActCall> {
  const { org: organization, object = null, from = null, to = null } = options
  if (names.length === 0 && options.value === undefined) {
    throw new UsageError('set names, --value, or both')
  }
  const value = options.value === '-' ? await standardInput() : (options.value ?? null)
  const body = { names: names.length === 0 ? null : names, value, object, from, to }
  return callOn(store, { organization }, body)
}

/** Others on the machine see the arguments of a command, and a shell keeps them. */
async function standardInput(): Promise<string> {
  const { bytes } = await openSource('-', new AbortController().signal)
  return Buffer.concat(await Array.fromAsync(bytes))
    .toString()
    .replace(/\r?\n$/, '')
}

type Items = Awaited<ReturnType<typeof VALUE_ACTS.findValues.run>>['items']
type Page = { items: Items; unreadable: number[]; next: number | null }

async function allPages<Answer extends Page>(
  call: ActCall,
  run: (call: ActCall) => Promise<Answer>,
): Promise<Answer> {
  const first = await run(call)
  const [items, unreadable] = [[...first.items], [...first.unreadable]]
  for (let after = first.next; after !== null; ) {
    const page = await run({ ...call, body: { ...call.body, after } })
    addAll(items, page.items)
    addAll(unreadable, page.unreadable)
    after = page.next
  }
  return { ...first, items, unreadable, next: null }
}

const UNREADABLE = 'objects have positions that cannot be read: restore them from a backup'

function foundText<Found extends Page>(found: Found): CommandResult {
  const { items, unreadable } = found
  const { text } = listing(items, [
    ...(['object', 'ident'] as const),
    ['ATTRIBUTE', ({ attribute }) => harmless(attribute)],
    ...(['positions', 'first', 'last', 'ranges'] as const),
  ])
  const answer = { json: found, text: items.length === 0 ? 'No position has it.' : text }
  return unreadable.length === 0
    ? answer
    : { ...answer, failure: `${UNREADABLE}: ${unreadable.join(', ')}` }
}

async function eraseValues(
  store: Store,
  options: EraseOptions,
  names: string[],
): Promise<CommandResult> {
  const call = await callOf(store, options, names)
  const run = (page: ActCall) => runAct(VALUE_ACTS.eraseValues, page)
  const dry = { ...call, body: { ...call.body, dry_run: true } }
  const found = await allPages(dry, run)
  // A page has the readers of its own objects.
  const readers = await readersOf(
    call,
    found.items.map(({ object, first }) => ({ object, first: Date.parse(first) })),
  )
  const preview = foundText({ ...found, ...readers })
  const text = `${preview.text}\n${readersText(readers)}`
  if (options.dryRun === true) return { ...preview, text }
  const positions = found.items.reduce((sum, each) => sum + each.positions, 0)
  const objects = new Set(found.items.map(({ object }) => object)).size
  await confirm(
    `this erases values of ${counted(positions, 'position')} of ${counted(objects, 'object')}, permanently`,
    { yes: options.yes === true },
  )
  const erased = await allPages(call, run)
  const isWhole = await withProgress(options.quiet, (signal, show) =>
    eraseAll(store, signal, (done) => show(() => `${grouped(done)} positions done`)),
  )
  const answer = { ...foundText({ ...erased, ...readers }), text }
  if (!isWhole) return { ...answer, failure: FAILURES.under_way }
  const ranges = await store.positions.erasures(options.org, options.object ?? null)
  const isDamaged = ranges.some(({ attribute, erasedAt, state }) => {
    return attribute !== null && erasedAt === call.now && state === 'damaged'
  })
  return isDamaged ? { ...answer, failure: FAILURES.damaged } : answer
}
