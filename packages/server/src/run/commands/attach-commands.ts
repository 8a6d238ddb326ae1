import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { auditedStore } from '../../acts/audit/audited-store.ts'
import { wholeNumber } from '../../base/domain/setting-rule.ts'
import { DAY_MS, MINUTE_MS, systemClock } from '../../base/domain/time/time.ts'
import { waitUnlessAborted } from '../../engine/repeat.ts'
import { type Store, StoreUnavailable } from '../../engine/store/store.ts'
import { readPosition } from '../../faces/feed/formats/traccar.ts'
import { type AttachState, openAttachState } from '../../work/attach/attach-state.ts'
import { BadPlan, type Plan, proposePlan, readPlan, writePlan } from '../../work/attach/plan.ts'
import { reportOf } from '../../work/attach/report.ts'
import { openPace } from '../../work/attach/row-pace.ts'
import { sweep } from '../../work/attach/sweep.ts'
import {
  NoTraccar,
  openTraccar,
  SourceAway,
  type TraccarSource,
} from '../../work/attach/traccar-source.ts'
import { readCatalogue, schemaVersion } from '../../work/attach/traccar-tables.ts'
import { deploymentName } from '../../work/erasure-lines.ts'
import {
  type CommandResult,
  commandLineActor,
  group,
  option,
  placelessCommand,
  print,
} from '../command.ts'
import { hasStore, lockFolder, openStore, type StoreLocation } from '../compose.ts'
import { harmless, say, UsageError } from '../failure.ts'
import { allowDataLossOption, readPlace, withDataLoss } from '../location.ts'
import { settingReader } from '../options.ts'
import { boundYoungGeneration } from '../serve/young-generation.ts'
import { countText, type ProgressLine, quietOption, withProgress } from '../terminal.ts'
import { proposalAnswer, sweepAnswer, sweepMetrics } from './attach-answers.ts'

/*
 * Commands that take a Traccar server's database: everything at first, and what is missing later.
 */

export function attachCommands(description: string): Command {
  return group('attach', description, [traccarCommand(), statusCommand()])
}

type PlaceOptions = { plan: string; to: StoreLocation; allowDataLoss?: boolean; json?: boolean }
type AttachOptions = PlaceOptions & {
  database: string
  by?: 'users' | 'groups'
  rate?: number
  follow?: boolean
  every: number
  mirrorDeletions?: boolean
  quiet?: boolean
}

function traccarCommand(): Command {
  const example = 'attach traccar --database mysql://reader:secret@db.example.com/traccar'
  return placed(
    placelessCommand('traccar', 'import from a Traccar server: the first run proposes a plan', [
      `${example} --plan traccar.json`,
      `${example} --plan traccar.json --rate 5000`,
      `${example} --plan traccar.json --follow`,
    ]),
  )
    .addOption(
      new Option('--database <url>', "Traccar's database: PostgreSQL, MySQL or MariaDB")
        .env('TRACCAR_DATABASE_URL')
        .makeOptionMandatory(),
    )
    .addOption(
      option('--by <kind>', 'what becomes an organization in a proposed plan').choices([
        'users',
        'groups',
      ]),
    )
    .addOption(
      option('--rate <positions>', 'maximum positions to read per second').argParser(
        settingReader(wholeNumber(1)),
      ),
    )
    .addOption(option('--follow', 'keep running: compare repeatedly, and import what is missing'))
    .addOption(
      option('--every <minutes>', 'time between comparisons with --follow')
        .argParser(settingReader(wholeNumber(1, DAY_MS / MINUTE_MS)))
        .default(5),
    )
    .addOption(
      option(
        '--mirror-deletions',
        'delete objects and places here whose devices and geofences Traccar has deleted',
      ),
    )
    .addOption(quietOption())
    .action(async (options: AttachOptions) => {
      print(await attach(options).catch(asMisuse), options.json === true)
    })
}

function statusCommand(): Command {
  return placed(
    placelessCommand('status', 'show how far a plan is, what differs, and what was refused', [
      'attach status --plan traccar.json --json',
      'attach status --plan traccar.json --metrics',
    ]),
  )
    .addOption(option('--metrics', "print metrics in Prometheus's text format"))
    .action(async (options: PlaceOptions & { metrics?: boolean }) => {
      const answer = await onPlan(options, async ({ store, state }) => {
        const devices = await reportOf(store, state, null, systemClock.now())
        const answer = sweepAnswer(state, devices)
        if (options.metrics !== true) return answer
        return { ...answer, text: (await sweepMetrics(state, devices)).trimEnd() }
      })
      print(answer, options.json === true)
    })
}

/** The plan, and where Fleetgate has its data: `--database` is Traccar's. */
function placed(made: Command): Command {
  return made
    .addOption(
      option(
        '--plan <file>',
        'the plan; its state is in a folder next to it',
      ).makeOptionMandatory(),
    )
    .addOption(
      option('--to <place>', 'the data folder of Fleetgate, or the URL of its database')
        .argParser((written) => readPlace('--to', written))
        .default(
          process.env.DATABASE_URL
            ? readPlace('DATABASE_URL', process.env.DATABASE_URL)
            : { folder: './data' },
          'DATABASE_URL, or ./data',
        ),
    )
    .addOption(allowDataLossOption())
}

function asMisuse(error: unknown): never {
  const isMisuse = error instanceof NoTraccar || error instanceof BadPlan
  throw isMisuse ? new UsageError((error as Error).message) : error
}

/** A database that is away after the first answer is waited for. */
const PATIENCE_MS = 2 * MINUTE_MS

function attach(options: AttachOptions): Promise<CommandResult> {
  return withProgress(options.quiet, async (signal, show) => {
    const isFollowing = options.follow === true
    const patience = { waitMs: isFollowing ? Number.POSITIVE_INFINITY : 0, warn: say, signal }
    const source = await openTraccar(options.database, patience)
    if (!isFollowing) patience.waitMs = PATIENCE_MS
    try {
      if (!existsSync(options.plan)) return await propose(source, options)
      const plan = readPlan(readFileSync(options.plan, 'utf8'))
      const work = (opened: Opened) => take({ ...opened, source, signal, show }, plan, options)
      return await onPlan(options, work, true)
    } catch (error) {
      if (!signal.aborted) throw error
      throw new Error('stopped before the end: run the same command again to continue from here')
    } finally {
      await source.close()
    }
  })
}

/** Two runs at once would write the files of each other's state. */
function lockState(folder: string): { release(): void } {
  const lock = lockFolder(folder)
  if (lock === null)
    throw new Error(`another process is using this plan (${folder}): stop it first`)
  return lock
}

async function propose(source: TraccarSource, { plan, by }: AttachOptions): Promise<CommandResult> {
  const version = await schemaVersion(source)
  const traccar = await readCatalogue(source)
  const proposed = proposePlan(traccar, by ?? null)
  writeFileSync(plan, writePlan(proposed), { flag: 'wx' })
  return proposalAnswer({ file: plan, engine: source.engine, version }, proposed, traccar)
}

type Opened = { store: Store; positions: Store['positions']; state: AttachState }

/** Opens the data of Fleetgate and the state of a plan. */
async function onPlan<Answer>(
  { plan, to, allowDataLoss }: PlaceOptions,
  work: (opened: Opened) => Promise<Answer>,
  isTaking = false,
): Promise<Answer> {
  if (!existsSync(plan)) throw new UsageError(`there is no plan '${plan}'`)
  // A mistyped folder must not be taken for a new one.
  const isAbsent = 'folder' in to && !hasStore(to.folder)
  if (isAbsent && (!isTaking || existsSync(`${plan}.state`))) {
    throw new Error(`there is no Fleetgate data in '${to.folder}'; set its folder with --to`)
  }
  const store = await openStore(withDataLoss(to, allowDataLoss))
  let lock: { release(): void } | undefined
  try {
    // Before the state is read: another process may be about to write it.
    if (isTaking) lock = lockState(`${plan}.state`)
    const state = await openAttachState(plan, await deploymentName(store))
    const audited = auditedStore(store, commandLineActor(), systemClock)
    return await work({ store: audited, positions: store.positions, state })
  } finally {
    lock?.release()
    await store.close()
  }
}

/** The days that `--follow` compares; it compares all days once a day. */
const RECENT_DAYS = 8

/** As for imports: rows live until their page is stored. */
const YOUNG_BYTES = 16 * 1024 * 1024

type Taking = Opened & { source: TraccarSource; signal: AbortSignal; show: ProgressLine['show'] }

async function take(taking: Taking, plan: Plan, options: AttachOptions): Promise<CommandResult> {
  const { store, state, source, signal, show } = taking
  const { now } = systemClock
  const pace = openPace(options.rate ?? null, signal)
  const mirrorsDeletions = options.mirrorDeletions === true
  const isFollowing = options.follow === true
  let read = 0
  let wholeAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const isWhole = now() - wholeAt >= DAY_MS
    const began = performance.now()
    const onProgress = (device: string, rows: number) => {
      boundYoungGeneration(YOUNG_BYTES)
      show(() => `${harmless(device)}: ${countText(rows, 'positions', performance.now() - began)}`)
    }
    const parts = { ...taking, read: readPosition, clock: systemClock, pace, onProgress }
    try {
      read += await sweep(parts, plan, { mirrorsDeletions, days: isWhole ? null : RECENT_DAYS })
      if (isWhole) wholeAt = now()
    } catch (error) {
      if (isFollowing && signal.aborted) break
      const isPassing = error instanceof SourceAway || error instanceof StoreUnavailable
      if (!isFollowing || !isPassing) throw error
      say((error as Error).message)
    }
    if (!isFollowing) break
    await waitUnlessAborted(options.every * MINUTE_MS, signal)
    if (signal.aborted) break
  }
  const asked = signal.aborted ? null : source
  return sweepAnswer(state, await reportOf(store, state, asked, now()), read)
}
