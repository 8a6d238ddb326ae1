import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharePostgres } from '../../packages/server/src/trial/servers/shared-postgres.ts'
import { shareRedis } from '../../packages/server/src/trial/servers/shared-redis.ts'
import { inFolder, isEmbedded, newDeployment } from './deployment.ts'
import { makeFleet, TEMPLATE_VARIABLE, type Template, WHOLE_SIZE } from './fleet.ts'

let folder: string | undefined
const servers: { stop(): Promise<void> }[] = []

/** Makes what all files of a run share (`node --test --test-global-setup`): the fleet, and servers. */
export async function globalSetup(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'fleetgate-acceptance-'))
  // A command's start is mostly compiling; the hundreds of them in a run share what was compiled.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
  // Where one cannot be made, each file then makes its own and fails by its name; the other tests of
  // the run go on.
  await Promise.all([
    share('PostgreSQL could not be started', sharePostgres),
    share('Redis could not be started', shareRedis),
  ])
  await shareFleet(folder).catch((error) => tell('the acceptance fleet could not be made', error))
}

export async function globalTeardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}

async function share(failure: string, start: () => Promise<{ stop(): Promise<void> }>) {
  try {
    servers.push(await start())
  } catch (error) {
    tell(failure, error)
  }
}

async function shareFleet(folder: string): Promise<void> {
  const deployment = isEmbedded ? inFolder(join(folder, 'data')) : await newDeployment()
  const records = await makeFleet(deployment, WHOLE_SIZE)
  const template: Template = { records, database: deployment.database }
  const description = join(folder, 'fleet.json')
  writeFileSync(description, JSON.stringify(template))
  process.env[TEMPLATE_VARIABLE] = description
}

function tell(what: string, error: unknown): void {
  process.stderr.write(`${what}: ${error}\n`)
}
