import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ActCall } from '../../acts/act.ts'
import { ERASURE_ACTS } from '../../acts/erasure-acts.ts'
import type { DELETION } from '../../acts/erasures.ts'
import { readErasureLine, writeErasureLine } from '../../base/domain/erasure-line.ts'
import { MOMENT } from '../../base/domain/setting-rule.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import type { Erasure } from '../../engine/store/position-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { eraseAgain, erasureLines } from '../../work/erasure-lines.ts'
import { openSource } from '../../work/import/import-source.ts'
import { callOn, runAct } from '../act-command.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { harmless } from '../failure.ts'
import { id, type OwnerOptions, ownerOption, settingReader } from '../options.ts'
import {
  confirm,
  counted,
  grouped,
  listing,
  quietOption,
  table,
  withProgress,
  yesOption,
} from '../terminal.ts'

/*
 * Commands that delete positions of a range, and list what was deleted.
 */

export function positionCommands(description: string): Command {
  return group('positions', description, [
    deleteCommand(),
    erasedCommand(),
    exportCommand(),
    importCommand(),
  ])
}

type ObjectOptions = OwnerOptions & { object: number }
type DeleteOptions = ObjectOptions & {
  from: string
  to: string
  dryRun?: boolean
  yes?: boolean
  quiet?: boolean
}

const objectOption = () =>
  option('--object <id>', 'the object; required').argParser(id).makeOptionMandatory()
const momentOption = (flag: string, words: string) =>
  option(`${flag} <time>`, words).argParser(settingReader(MOMENT)).makeOptionMandatory()

function deleteCommand(): Command {
  const example =
    'positions delete --org 1 --object 7 --from 2026-11-17T00:00:00Z --to 2026-11-17T23:59:59.999Z'
  return command(
    'delete',
    'delete the positions of an object in a range of time, and store none of it again',
    [`${example} --dry-run`, `${example} --yes`],
  )
    .addOption(ownerOption())
    .addOption(objectOption())
    .addOption(momentOption('--from', 'the first time_device; required'))
    .addOption(momentOption('--to', 'the last one, included; required'))
    .addOption(option('--dry-run', 'show what would be deleted, and who was given it'))
    .addOption(quietOption())
    .addOption(yesOption())
    .action(onStore(deletePositions))
}

type Deletion = ReturnType<typeof DELETION.write>

async function deletePositions(store: Store, options: DeleteOptions): Promise<CommandResult> {
  const { org: organization, object, from, to } = options
  const call = callOn(store, { organization, object }, { from, to })
  const dry: ActCall = { ...call, body: { ...call.body, dry_run: true } }
  const found = await runAct(ERASURE_ACTS.deletePositions, dry)
  if (options.dryRun === true) return { json: found, text: textOf(found) }
  const what = `${counted(found.positions + found.hidden, 'position')} and ${counted(found.rejects, 'rejected packet')}`
  await confirm(`this deletes ${what}, permanently`, { yes: options.yes === true })
  const deletion = await runAct(ERASURE_ACTS.deletePositions, call)
  await withProgress(options.quiet, (signal, show) =>
    eraseAll(store, signal, (erased) => show(() => `${grouped(erased)} positions deleted`)),
  )
  const erased = await store.positions.erasures(organization, object)
  const { state } = erased.find((each) => isOf(deletion, each)) ?? { state: 'done' }
  const answer = { json: { ...deletion, complete: state === 'done' }, text: textOf(deletion) }
  return state === 'done' ? answer : { ...answer, failure: FAILURES[state] }
}

const isOf = ({ from, to }: Deletion, range: Erasure) =>
  range.attribute === null && Date.parse(from) === range.from && Date.parse(to) === range.to

/** Why positions of a range are left, and what to do. */
export const FAILURES = {
  under_way: 'stopped before the end: a server on this data does the rest',
  damaged:
    'some positions cannot be read and were kept: restore them from a backup, then delete the range again',
}

/** A pause between slices, so that a server on the same data can write its packets. */
const PAUSE_MS = 2

/** Deletes what is asked for, until it is stopped. A server on the same data does the same. */
export async function eraseAll(
  { positions }: Store,
  signal: AbortSignal,
  onProgress: (erased: number) => void,
): Promise<boolean> {
  const rules = foldRules(systemClock)
  for (let erased = 0; !signal.aborted; await pause(PAUSE_MS)) {
    const slice = await positions.eraseSlice(rules, systemClock.now())
    if (slice === null) return true
    erased += slice
    onProgress(erased)
  }
  return false
}

function textOf(deletion: Deletion): string {
  const { positions, hidden, rejects, records } = deletion
  return [
    `${counted(positions, 'position')}, ${grouped(hidden)} hidden, ${counted(rejects, 'rejected packet')}`,
    `${counted(records, 'record')} to derive again`,
    readersText(deletion),
  ].join('\n')
}

/** The readers who were given data that is deleted. */
export function readersText({ recipients, webhooks }: Pick<Deletion, 'recipients' | 'webhooks'>) {
  const relays = webhooks.filter(({ form }) => form !== 'changes')
  const counts = [
    `${counted(webhooks.length - relays.length, 'webhook')} to send the deletion to`,
    ...(relays.length > 0 ? [`${counted(relays.length, 'relay')}: ask the receivers`] : []),
  ]
  if (recipients.length === 0) return [...counts, 'Nobody was given data of these days.'].join('\n')
  const rows = recipients.map((each) => [
    ...[each.recipient, each.purpose, each.source, each.data],
    ...[each.first_date, each.last_date, each.rows],
  ])
  const headings = ['GIVEN TO', 'PURPOSE', 'SOURCE', 'DATA', 'FIRST', 'LAST', 'ROWS']
  return [...counts, '', table(headings, rows)].join('\n')
}

function erasedCommand(): Command {
  return command('erased', 'list the ranges whose positions or values were deleted', [
    'positions erased --org 1 --object 7',
  ])
    .addOption(ownerOption())
    .addOption(objectOption())
    .action(
      onStore(async (store: Store, { org, object }: ObjectOptions) => {
        const call = callOn(store, { organization: org, object })
        const { items } = await runAct(ERASURE_ACTS.listErasedRanges, call)
        return listing(items, [
          ...(['from', 'to'] as const),
          ['ATTRIBUTE', ({ attribute }) => attribute && harmless(attribute)],
          ...(['erased_at', 'state', 'done_at'] as const),
          [
            'WEBHOOKS BEHIND',
            ({ webhooks }) => webhooks.filter((each) => each.has_followed === false).length,
          ],
        ])
      }),
    )
}

/** A database has no file of erased ranges beside it, so these commands make one and read it after a restore. */
function exportCommand(): Command {
  return command(
    'export-erased',
    'print the erased ranges of all organizations, to keep them apart from backups',
    ['positions export-erased > erasures.ndjson'],
  ).action(
    onStore(async (store: Store) => {
      const lines = await erasureLines(store)
      return { json: lines, text: lines.map(writeErasureLine).join('').trimEnd() }
    }),
  )
}

function importCommand(): Command {
  return command(
    'import-erased',
    'delete again the ranges of a file that the data does not have, after a restore',
    ['positions import-erased erasures.ndjson'],
  )
    .argument('<file>', 'the output of export-erased; - reads standard input')
    .addOption(quietOption())
    .action(
      onStore(async (store: Store, { quiet }: { quiet?: boolean }, file: string) => {
        const { bytes } = await openSource(file, new AbortController().signal)
        const text = Buffer.concat(await Array.fromAsync(bytes)).toString()
        const texts = text.split('\n').filter((line) => line.trim() !== '')
        const lines = texts.map(readErasureLine).filter((line) => line !== null)
        const found = {
          ...(await eraseAgain(store, lines, await erasureLines(store))),
          unreadable: texts.length - lines.length,
        }
        const isWhole = await withProgress(quiet, (signal) => eraseAll(store, signal, () => {}))
        const failure = isWhole ? importFailure(found) : FAILURES.under_way
        const answer = {
          json: { ...found, complete: failure === null },
          text: `Deleted ${counted(found.erased, 'range')} again; ${counted(found.others, 'line')} of other data`,
        }
        return failure === null ? answer : { ...answer, failure }
      }),
    )
}

function importFailure({ unreadable, refused }: Record<'unreadable' | 'refused', number>) {
  if (unreadable > 0) return `${counted(unreadable, 'line')} of the file cannot be read`
  if (refused === 0) return null
  return `${counted(refused, 'range')} not deleted: the object has the maximum of erased ranges`
}
