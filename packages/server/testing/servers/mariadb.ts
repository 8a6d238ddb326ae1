import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import { freePort } from './free-port.ts'

/** Debian installs the server outside of the path of most people. */
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
const programOf = (name: string) =>
  FOLDERS.map((folder) => join(folder, name)).find((program) => existsSync(program))
const SERVER = programOf('mariadbd')
const INSTALL = programOf('mariadb-install-db')

export const withoutMariadb =
  SERVER === undefined || INSTALL === undefined ? 'mariadb-server is not installed' : false

/** A real MariaDB of a test, on a free port, in a temporary folder. */
export type Mariadb = {
  /** The URL of a new database, as a user who may do everything. */
  database(): Promise<string>
  /** SIGKILL. `start` starts it again on the same data and port. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops it at once and removes its data. */
  stop(): Promise<void>
}

/** The user nobody: MariaDB does not run as root. */
const NOBODY = 65_534
const USER = 'traccar'
const PATIENCE_MS = 60_000

const SETTINGS = [
  ...['--bind-address=127.0.0.1', '--skip-name-resolve', '--skip-log-bin'],
  ...['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M'],
]

/** `more`: further options of the server. */
export async function startMariadb(more: readonly string[] = []): Promise<Mariadb> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-mariadb-'))
  const data = join(folder, 'data')
  const init = join(folder, 'init.sql')
  await writeFile(
    init,
    `CREATE USER IF NOT EXISTS ${USER}@'%';\nGRANT ALL ON *.* TO ${USER}@'%' WITH GRANT OPTION;\n`,
  )
  if (process.getuid?.() === 0) await chown(folder, NOBODY, NOBODY)
  const [install, options] = unprivileged(INSTALL!, [
    ...['--no-defaults', `--datadir=${data}`, '--skip-test-db'],
    '--auth-root-authentication-method=normal',
  ])
  await promisify(execFile)(install, options, { cwd: '/' })
  const port = await freePort()
  const url = (database: string) => `mysql://${USER}@127.0.0.1:${port}/${database}`
  let server: ChildProcess | undefined
  let databases = 0

  async function start(): Promise<void> {
    const [file, args] = unprivileged(SERVER!, [
      ...['--no-defaults', `--datadir=${data}`, `--socket=${join(folder, 'socket')}`],
      ...[`--port=${port}`, `--init-file=${init}`, `--pid-file=${join(folder, 'pid')}`],
      ...[`--log-error=${join(folder, 'log')}`, ...SETTINGS, ...more],
    ])
    const started = spawn(file, args, { cwd: '/', stdio: 'ignore' })
    const end = () => started.kill('SIGKILL')
    process.once('exit', end)
    started.once('exit', () => process.off('exit', end))
    server = started
    const giveUpAt = performance.now() + PATIENCE_MS
    while (!(await answers(url('')))) {
      if (performance.now() > giveUpAt || started.exitCode !== null) {
        const log = await readFile(join(folder, 'log'), 'utf8').catch(String)
        throw new Error(`MariaDB did not start: ${log.slice(-2_000)}`)
      }
      await pause(20)
    }
  }

  async function kill(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  await start()
  return {
    kill,
    start,
    async database() {
      databases += 1
      const name = `traccar_${databases}`
      const client = await createConnection(url(''))
      await client.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
      await client.end()
      return url(name)
    },
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const client = await createConnection(url)
    await client.end()
    return true
  } catch {
    return false
  }
}

/** For root: run as nobody, and let the system end it if the test is killed. */
function unprivileged(program: string, args: string[]): [file: string, args: string[]] {
  if (process.getuid?.() !== 0) return [program, args]
  const as = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--pdeathsig=KILL']
  return ['setpriv', [...as, program, ...args]]
}
