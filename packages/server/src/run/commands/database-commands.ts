import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { entriesOf } from '../../acts/audit/entry.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import { archiveOf } from '../../data/copy/archive.ts'
import type { Archived } from '../../data/copy/archived-tables.ts'
import { totalSums } from '../../data/copy/checksums.ts'
import {
  copyDeployment,
  type Difference,
  type Outcome,
  type Progress,
} from '../../data/copy/copy-deployment.ts'
import type { Store } from '../../engine/store/store.ts'
import type { DistributeProgress } from '../../engine/store/store-status.ts'
import {
  type CommandResult,
  command,
  commandLineActor,
  onStore,
  option,
  placelessCommand,
  print,
  type SharedOptions,
} from '../command.ts'
import {
  backUp,
  distributeDatabase,
  hasStore,
  openCopySource,
  openCopyTarget,
  openStore,
  type StoreLocation,
} from '../compose.ts'
import { UsageError } from '../failure.ts'
import {
  allowDataLossOption,
  bareUrl,
  type LocationOptions,
  locationOf,
  placeText,
  readPlace,
  withDataLoss,
} from '../location.ts'
import { id } from '../options.ts'
import { untilSignal } from '../serve/stop-signal.ts'
import {
  counted,
  countText,
  grouped,
  megabytes,
  quietOption,
  table,
  withProgress,
} from '../terminal.ts'

/*
 * Commands about all data at once: a backup, a copy to another store, and the servers of a Citus cluster.
 */

type Places = { from: StoreLocation; to: StoreLocation }
type CopyOptions = Places & {
  org?: number
  object?: number
  allowDataLoss?: boolean
  quiet?: boolean
  json?: boolean
}

export function copyCommand(description: string): Command {
  return placelessCommand('copy', description, [
    'copy --from /var/lib/fleetgate --to postgres://fleetgate@db.example.com/fleetgate',
    'copy --from postgres://fleetgate@db.example.com/fleetgate --to /var/lib/fleetgate',
    'copy --from /var/lib/fleetgate --to /mnt/acme --org 3',
  ])
    .addOption(placeOption('--from', 'the source: a data folder, or the URL of a database'))
    .addOption(
      placeOption('--to', 'the target: a new or empty folder or database, or an unfinished copy'),
    )
    .addOption(partOption('--org', 'only this organization, as an archive without secrets'))
    .addOption(partOption('--object', 'only this object of --org'))
    .addOption(allowDataLossOption())
    .addOption(quietOption())
    .action(async (options: CopyOptions) => {
      print(await copy(options), options.json === true)
    })
}

function placeOption(flag: string, description: string): Option {
  return option(`${flag} <place>`, description)
    .makeOptionMandatory()
    .argParser((written) => readPlace(flag, written))
}

/** Without a variable, which may be there for other commands: a copy of all would become an archive. */
function partOption(flag: string, description: string): Option {
  return new Option(`${flag} <id>`, description).argParser(id)
}

async function copy(options: CopyOptions): Promise<CommandResult> {
  const { from, to, org: organization, object = null, allowDataLoss, quiet } = options
  if (organization === undefined && object !== null) throw new UsageError('--object requires --org')
  if ('folder' in from && !hasStore(from.folder)) {
    throw new Error(`there is no Fleetgate data in '${from.folder}'`)
  }
  const thing = 'folder' in from ? 'folder' : 'database'
  if (isSame(from, to)) throw new UsageError(`--from and --to are the same ${thing}`)
  const places = { from: withDataLoss(from, allowDataLoss), to: withDataLoss(to, allowDataLoss) }
  const archived = organization === undefined ? null : { organization, object }
  const began = performance.now()
  const textOf = progressTexts(() => performance.now())
  const outcome = await withProgress(quiet, (signal, show) =>
    between(places, archived, signal, (progress) => {
      const text = textOf(progress)
      show(() => text)
    }),
  )
  return answerOf({ from, to }, archived, outcome, performance.now() - began)
}

function isSame(one: StoreLocation, other: StoreLocation): boolean {
  if ('database' in one) return 'database' in other && one.database === other.database
  if ('database' in other) return false
  return existsSync(other.folder) && realpathSync(one.folder) === realpathSync(other.folder)
}

/** `archived`: the part that an archive has. Null: everything is copied. */
async function between(
  { from, to }: Places,
  archived: Archived | null,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Outcome> {
  const now = Date.now()
  const whole = await openCopySource(from, now)
  try {
    const source = archived === null ? whole : await archiveOf(whole, archived)
    const target = await openCopyTarget(to, (await source.facts()).secret, now)
    try {
      if (archived !== null) await noteArchive(from, archived, to)
      return await copyDeployment(source, target, onProgress, signal)
    } catch (error) {
      if (!signal.aborted) throw error
      throw new Error('stopped before the end: run the same command again to continue from here')
    } finally {
      await target.close()
    }
  } finally {
    await whole.close()
  }
}

/** Adds an entry to the audit log of the source before anything is copied. */
async function noteArchive(
  from: StoreLocation,
  { organization, object }: Archived,
  to: StoreLocation,
): Promise<void> {
  const store = await openStore(from)
  try {
    const [noun, found] =
      object === null
        ? (['organization', await store.organizations.find(organization)] as const)
        : (['object', await store.objects.find(organization, object)] as const)
    const about = { target: found?.id ?? null, name: found?.name ?? null }
    const changes = { archive: { to: placeText(to) } }
    const entryOf = entriesOf(commandLineActor(), systemClock)
    await store.audit.add(entryOf(`${noun}.archive`, { organization, ...about, changes })[0])
  } finally {
    await store.close()
  }
}

/** `copying: 1,234,567 positions, 240,000 positions/s, 12 %, 36 s left`, counted for each stage alone. */
function progressTexts(now: () => number): (progress: Progress) => string {
  let current: Progress['stage'] | undefined
  let began = now()
  return ({ stage, passed, total }) => {
    if (current !== undefined && stage !== current) began = now()
    current = stage
    const milliseconds = now() - began
    const percent = total === 0 ? 100 : Math.floor((passed * 100) / total)
    const seconds = Math.ceil((milliseconds / 1000 / passed) * (total - passed))
    const left = milliseconds === 0 ? '' : `, ${grouped(Math.max(0, seconds))} s left`
    return `${stage}: ${countText(passed, 'positions', milliseconds)}, ${percent} %${left}`
  }
}

function answerOf(
  { from, to }: Places,
  archived: Archived | null,
  outcome: Outcome,
  milliseconds: number,
): CommandResult {
  const { sums, own, copied, differences } = outcome
  const tables = totalSums([...sums.values(), own])
  const seconds = Math.round(milliseconds) / 1000
  const json = {
    from: placeText(from),
    to: placeText(to),
    archived,
    organizations: sums.size,
    positions_written: copied,
    seconds,
    tables,
    differences,
  }
  const rows = Object.entries(tables).map(([name, { rows, sha256 }]) => [name, rows, sha256])
  const figures = table(['TABLE', 'ROWS', 'SHA-256, ON BOTH SIDES'], rows)
  if (differences.length > 0) {
    const where = differences.map(tableText).join(', ')
    return {
      json,
      text: figures,
      failure: `the copy differs from the source in ${where}: run the same command again`,
    }
  }
  const done = archived === null ? 'Copied' : `Archived ${archivedText(archived)}: copied`
  const text = `${figures}\n\n${done} ${counted(copied, 'position')} in ${seconds} s, and found both sides equal`
  return { json, text }
}

function archivedText({ organization, object }: Archived): string {
  const whole = `organization ${organization}`
  return object === null ? whole : `object ${object} of ${whole}`
}

function tableText({ organization, table }: Difference): string {
  return organization === null ? table : `${table} of organization ${organization}`
}

export function backupCommand(description: string): Command {
  return command('backup', description, [
    'backup /var/backups/fleetgate-2027-01-31',
    'backup --data /var/lib/fleetgate /mnt/copy --json',
  ])
    .argument('<dir>', 'a new or empty folder, which can be served like the first one')
    .action((folder: string, options: SharedOptions, self: Command) => {
      if ('database' in locationOf(self)) {
        throw new UsageError(
          "back up a database with PostgreSQL's own tools, such as pg_dump; see docs/operating/backups.md",
        )
      }
      return onStore(backup)(folder, options, self)
    })
}

async function backup(
  store: Store,
  options: SharedOptions,
  folder: string,
): Promise<CommandResult> {
  const start = performance.now()
  await backUp(store, options.data, folder, showProgress)
    .finally(endProgress)
    .catch((error: Error) => {
      throw new Error(`the backup to '${folder}' failed: ${error.message}`, { cause: error })
    })
  const seconds = Math.round(performance.now() - start) / 1000
  const organizations = (await store.organizations.list()).length
  const files = readdirSync(folder)
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  return {
    json: { folder: resolve(folder), files, bytes, organizations, seconds },
    text: `Copied ${megabytes(bytes)} to ${folder} in ${seconds} s; serve it with 'fleetgate serve --data ${folder}'`,
  }
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r\u001b[K${Math.floor((100 * done) / Math.max(total, 1))} % of ${total} pages`,
  )
}

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}

type DistributeOptions = LocationOptions & { quiet?: boolean; json?: boolean }

export function distributeCommand(description: string): Command {
  return command('distribute', description, [
    'distribute --database postgres://fleetgate@coordinator.example.com/fleetgate',
  ])
    .addOption(quietOption())
    .action(async (options: DistributeOptions, self: Command) => {
      print(await distribute(options, self), options.json === true)
    })
}

async function distribute({ quiet }: DistributeOptions, self: Command): Promise<CommandResult> {
  const location = locationOf(self)
  if ('folder' in location) {
    throw new UsageError('--database or DATABASE_URL must be the URL of a Citus coordinator')
  }
  const began = performance.now()
  const { laidOut, layout } = await untilSignal((signal) =>
    distributeDatabase(location, (progress) => quiet !== true && show(progress), signal),
  )
  const seconds = Math.round(performance.now() - began) / 1000
  const workers = layout.nodes.filter(({ hasShards }) => hasShards)
  const json = {
    database: bareUrl(location.database),
    laid_out: laidOut,
    seconds,
    workers: workers.map(({ name }) => name),
  }
  const where = `${counted(workers.length, 'server')} (${workers.map(({ name }) => name).join(', ')})`
  if (laidOut.length === 0)
    return { json, text: `All tables are already distributed over ${where}` }
  return {
    json,
    text: `Laid out ${counted(laidOut.length, 'table')} over ${where} in ${seconds} s`,
  }
}

/** A line for each table, because each is a transaction that can take a long time. */
function show({ table, done, total }: DistributeProgress): void {
  process.stderr.write(`laying out ${table}, ${done + 1} of ${total}\n`)
}
