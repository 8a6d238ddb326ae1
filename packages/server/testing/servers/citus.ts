import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { distribute } from '../../src/data/postgres/distribute.ts'
import { askPostgres } from './ask-postgres.ts'
import { databaseName } from './ended-databases.ts'
import { newDatabase } from './postgres.ts'

const run = promisify(execFile)

const POSTGRES = '/usr/lib/postgresql/15/bin/postgres'

const MIN_MINOR_VERSION = 20

/** A folder next to the repository or one of its parents, with scripts that start and stop a Citus. */
const SCRIPTS = scriptsAbove(import.meta.dirname)

/** Why no Citus can be started here. Undefined if one can. */
export const citusIsMissing = reasonAgainstCitus()

/** A coordinator and two workers. Each has a database `fleetgate`, owned by a superuser. */
export type Citus = {
  url: string
  workerUrls: string[]
  /** The data folders of the coordinator and of the workers. They belong to the user of `asPostgres`. */
  dataFolders: string[]
  /** A new database of all three, whose tables are laid out. */
  database(): Promise<string>
  /** Starts a third worker, which the coordinator's database gets to know. Returns its port. */
  addWorker(database: string): Promise<number>
  /** Process ids of the coordinator and of the workers. */
  processIds(): number[]
  /** Kills a worker, by its index in `workerUrls`, with all its sessions. */
  kill(worker: number): Promise<void>
  /** Starts a killed worker again. */
  start(worker: number): Promise<void>
  stop(): Promise<void>
}

export async function startCitus(upkeep: Record<string, string> = EAGER_UPKEEP): Promise<Citus> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startAt(portBelowOthers(), upkeep)
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}

const ATTEMPTS = 3

/** Settings of the work that Citus does for each database. It settles commits of workers that died. */
const EAGER_UPKEEP = { 'citus.recover_2pc_interval': '1s' }

/** For many databases, each with this work of its own, and no deaths. */
export const LAZY_UPKEEP = {
  'citus.recover_2pc_interval': '1min',
  'citus.distributed_deadlock_detection_factor': '10',
}

/** In memory, if the system has such a folder: syncing three servers takes most of their start. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Three consecutive ports, below those that the system assigns automatically. */
function portBelowOthers(): number {
  return 15_000 + 3 * Math.floor(Math.random() * 5_000)
}

async function startAt(port: number, upkeep: Record<string, string>): Promise<Citus> {
  const folder = await mkdtemp(join(PARENT, 'fleetgate-citus-'))
  const stop = async () => {
    await asPostgres('pg_ctl', '-D', join(folder, 'node3'), '-m', 'fast', 'stop').catch(() => {})
    await run(join(SCRIPTS!, 'down'), [folder]).catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { stdout } = await run(join(SCRIPTS!, 'up'), [folder, `${port}`])
    const urls = [0, 1, 2].map((number) => {
      const url = new URL(stdout.trim())
      url.port = `${port + number}`
      return url.href
    })
    const settings = { 'citus.enable_stat_counters': 'on', ...upkeep }
    for (const [name, value] of Object.entries(settings))
      await askPostgres(urls[0]!, `ALTER SYSTEM SET ${name} = '${value}'`)
    await askPostgres(urls[0]!, 'SELECT pg_reload_conf()')
    let databases = 0
    const database = () => newCitusDatabase(urls, databaseName(databases++))
    return {
      url: urls[0]!,
      workerUrls: urls.slice(1),
      dataFolders: [0, 1, 2].map((node) => join(folder, `node${node}`)),
      database,
      addWorker: (database) => addWorker(folder, port + 3, database),
      processIds: () => [0, 1, 2].map((node) => processId(folder, node)),
      async kill(worker) {
        process.kill(processId(folder, worker + 1), 'SIGKILL')
      },
      start: (worker) => startAgain(folder, `node${worker + 1}`),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function addWorker(folder: string, port: number, database: string): Promise<number> {
  const [node, like] = ['node3', 'node1'].map((name) => join(folder, name)) as [string, string]
  await asPostgres('initdb', '-D', node, '-U', 'postgres', '-A', 'trust')
  const settings = readFileSync(join(like, 'postgresql.conf'), 'utf8')
  writeFileSync(join(node, 'postgresql.conf'), settings.replace(/^port=.*$/m, `port=${port}`))
  await startAgain(folder, 'node3')
  const server = new URL(database)
  server.port = `${port}`
  server.pathname = '/postgres'
  const own = await newDatabase(server.href, new URL(database).pathname.slice(1))
  await askPostgres(own, 'CREATE EXTENSION citus')
  await askPostgres(database, `SELECT citus_add_node('${server.hostname}', ${port})`)
  return port
}

/** Runs a program of PostgreSQL as its user, who may not read the home of this one. */
export async function asPostgres(program: string, ...args: string[]): Promise<void> {
  const as = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups']
  const env = { ...process.env, HOME: PARENT }
  await run('setpriv', [...as, join(dirname(POSTGRES), program), ...args], { env })
}

function processId(folder: string, node: number): number {
  return Number.parseInt(readFileSync(join(folder, `node${node}`, 'postmaster.pid'), 'utf8'), 10)
}

const START_MS = 10_000

/** The sessions of a killed server end a moment after it, and keep its memory until then. */
async function startAgain(folder: string, node: string): Promise<void> {
  const data = join(folder, node)
  const untilMs = performance.now() + START_MS
  for (;;) {
    try {
      await asPostgres('pg_ctl', '-D', data, '-l', `${data}.log`, '-w', 'start')
      return
    } catch (error) {
      if (performance.now() > untilMs) throw error
    }
  }
}

/** Shards of each table. The default is 32, which take longer to create and to empty. */
const SHARDS = 4

/**
 * A new database of a coordinator and its workers, whose tables are laid out by default. `holdsRows`: whether the
 * coordinator holds rows of distributed tables. Returns its URL.
 */
export async function newCitusDatabase(
  servers: readonly string[],
  name: string,
  { isLaidOut = true, holdsRows = false } = {},
): Promise<string> {
  const urls = await Promise.all(servers.map((server) => newDatabase(server, name)))
  for (const url of urls) await askPostgres(url, 'CREATE EXTENSION citus')
  const [coordinator, ...workers] = urls as [string, ...string[]]
  const address = (url: string) => `'${new URL(url).hostname}', ${new URL(url).port}`
  await askPostgres(coordinator, `SELECT citus_set_coordinator_host(${address(coordinator)})`)
  for (const worker of workers)
    await askPostgres(coordinator, `SELECT citus_add_node(${address(worker)})`)
  if (holdsRows) {
    const own = address(coordinator)
    await askPostgres(
      coordinator,
      `SELECT citus_set_node_property(${own}, 'shouldhaveshards', true)`,
    )
  }
  await askPostgres(coordinator, `ALTER DATABASE ${name} SET citus.shard_count = ${SHARDS}`)
  if (isLaidOut) await distribute(coordinator, () => {}, new AbortController().signal)
  return coordinator
}

function reasonAgainstCitus(): string | undefined {
  if (SCRIPTS === undefined || process.getuid?.() !== 0) {
    return 'there is no shared/citus/up beside the repository, or this is not root'
  }
  // The scripts install PostgreSQL where there is none, but keep the one that they find.
  const version = /\b15\.(\d+)/.exec(`${spawnSync(POSTGRES, ['--version']).stdout}`)?.[1]
  if (version !== undefined && Number(version) < MIN_MINOR_VERSION) {
    return `PostgreSQL 15.${version} of this machine is older than 15.${MIN_MINOR_VERSION}, for which Citus was built`
  }
  return undefined
}

function scriptsAbove(folder: string): string | undefined {
  const scripts = join(folder, 'shared', 'citus')
  if (existsSync(join(scripts, 'up'))) return scripts
  const parent = dirname(folder)
  return parent === folder ? undefined : scriptsAbove(parent)
}
