import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostgresServer } from '../../packages/server/src/trial/servers/postgres.ts'
import { sharePostgres } from '../../packages/server/src/trial/servers/shared-postgres.ts'
import { makeFleet, TEMPLATE_VARIABLE, WHOLE_SIZE } from './fleet.ts'

let folder: string | undefined
let postgres: PostgresServer | undefined

/** Makes what all files of a run share (`node --test --test-global-setup`): the fleet, and a server. */
export async function globalSetup(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'fleetgate-acceptance-'))
  // A command's start is mostly compiling; the hundreds of them in a run share what was compiled.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  // Where one cannot be made, each file then makes its own and fails by its name; the other tests of
  // the run go on.
  await Promise.all([
    shareFleet(folder).catch((error) => tell('the acceptance fleet could not be made', error)),
    sharePostgres().then(
      (server) => {
        postgres = server
      },
      (error) => tell('PostgreSQL could not be started', error),
    ),
  ])
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}

async function shareFleet(folder: string): Promise<void> {
  const organizations = await makeFleet(join(folder, 'data'), WHOLE_SIZE)
  writeFileSync(join(folder, 'organizations.json'), JSON.stringify(organizations))
  process.env[TEMPLATE_VARIABLE] = folder
}

function tell(what: string, error: unknown): void {
  process.stderr.write(`${what}: ${error}\n`)
}
