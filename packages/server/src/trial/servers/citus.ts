import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

/** A folder with scripts that start and end a Citus, beside the repository or one of its parents. */
const SCRIPTS = scriptsAbove(import.meta.dirname)

/** Why no Citus can be started here; undefined where one can. */
export const citusIsMissing =
  SCRIPTS === undefined || process.getuid?.() !== 0
    ? 'there is no shared/citus/up beside the repository, or this is not root'
    : undefined

/** A coordinator and two workers, each with a database `fleetgate`, which a superuser owns. */
export type Citus = { url: string; workerUrls: string[]; stop(): Promise<void> }

export async function startCitus(): Promise<Citus> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-citus-'))
  const port = await freePort()
  const end = async () => {
    await run(join(SCRIPTS!, 'down'), [folder]).catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { stdout } = await run(join(SCRIPTS!, 'up'), [folder, `${port}`])
    const url = new URL(stdout.trim())
    const workerUrls = [1, 2].map((number) => {
      const worker = new URL(url)
      worker.port = `${port + number}`
      return worker.href
    })
    return { url: url.href, workerUrls, stop: end }
  } catch (error) {
    await end()
    throw error
  }
}

function scriptsAbove(folder: string): string | undefined {
  const scripts = join(folder, 'shared', 'citus')
  if (existsSync(join(scripts, 'up'))) return scripts
  const parent = dirname(folder)
  return parent === folder ? undefined : scriptsAbove(parent)
}
