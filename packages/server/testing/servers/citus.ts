import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const POSTGRES = '/usr/lib/postgresql/15/bin/postgres'

const MIN_MINOR_VERSION = 20

/** A folder beside the repository or one of its parents, with scripts that start and stop a Citus. */
const SCRIPTS = scriptsAbove(import.meta.dirname)

/** Why no Citus can be started here. Undefined if one can. */
export const citusIsMissing = reasonAgainstCitus()

/** A coordinator and two workers. Each has a database `fleetgate`, owned by a superuser. */
export type Citus = { url: string; workerUrls: string[]; stop(): Promise<void> }

export async function startCitus(): Promise<Citus> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startAt(portBelowOthers())
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}

const ATTEMPTS = 3

/** In memory, if the system has such a folder: syncing three servers takes most of their start. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Three consecutive ports, below those that the system assigns by itself. */
function portBelowOthers(): number {
  return 15_000 + 3 * Math.floor(Math.random() * 5_000)
}

async function startAt(port: number): Promise<Citus> {
  const folder = await mkdtemp(join(PARENT, 'fleetgate-citus-'))
  const stop = async () => {
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
    return { url: urls[0]!, workerUrls: urls.slice(1), stop }
  } catch (error) {
    await stop()
    throw error
  }
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
