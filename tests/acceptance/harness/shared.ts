import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  SHARED,
  shareCitus,
  shareCluster,
  sharePostgres,
  shareRedis,
} from '../../../packages/server/testing/servers/for-a-run.ts'
import {
  withoutPostgres,
  withoutRedis,
} from '../../../packages/server/testing/servers/installed.ts'
import { bundleServer } from './bundle.ts'
import { inFolder, type Kind } from './deployment.ts'
import { fleetgateJson, PROGRAM_VARIABLE } from './fleetgate.ts'
import { makeFleet, TEMPLATE_VARIABLE, type Template, WHOLE_SIZE } from './make-fleet.ts'

/** The fleet and the servers that all files of a run share. */
export type Shared = {
  /** Environment variables that show the run of this deployment where the shared parts are. */
  variables(kind: Kind): Promise<Record<string, string>>
  close(): Promise<void>
}

export type SharedParts = {
  /** Whether the tests start processes of the server from a bundle. */
  isBundled: boolean
  hasCluster: boolean
}

export async function openShared({ isBundled, hasCluster }: SharedParts): Promise<Shared> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-acceptance-'))
  // A command spends most of its start compiling, so the hundreds of commands of a run share a compile cache.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
  const servers: { stop(): Promise<void> }[] = []
  // If a shared part cannot be made, each file makes its own and fails by its own name; the other tests of the
  // run continue.
  const share = async <Server extends { stop(): Promise<void> }>(
    name: string,
    start: () => Promise<Server>,
  ): Promise<Server | undefined> => {
    try {
      const server = await start()
      servers.push(server)
      return server
    } catch (error) {
      process.stderr.write(`${name} could not be started: ${error}\n`)
      return undefined
    }
  }
  const bundle = async () => ({
    program: await bundleServer(join(folder, 'bundle')),
    async stop() {},
  })
  const [postgres, , , bundled] = await Promise.all([
    withoutPostgres ? undefined : share('PostgreSQL', sharePostgres),
    withoutRedis ? undefined : share('Redis', shareRedis),
    hasCluster && !withoutRedis ? share('A Redis Cluster', shareCluster) : undefined,
    isBundled ? share('The bundle', bundle) : undefined,
  ])
  if (bundled !== undefined) process.env[PROGRAM_VARIABLE] = bundled.program
  const data = join(folder, 'data')
  const records = await makeFleet(inFolder(data), WHOLE_SIZE)
  let database: Promise<string> | undefined

  /** The same fleet, copied into a database. */
  async function inDatabase(): Promise<string> {
    if (postgres === undefined) throw new Error('there is no PostgreSQL for the fleet')
    const url = await postgres.database('fleet')
    await fleetgateJson(['copy', '--from', data, '--to', url])
    return url
  }

  let citus: ReturnType<typeof shareCitus> | undefined

  async function citusVariable(): Promise<Record<string, string>> {
    citus ??= shareCitus().then((started) => {
      servers.push(started)
      return started
    })
    return { [SHARED.citus]: (await citus).servers.join(' ') }
  }

  async function describe(kind: Kind): Promise<Record<string, string>> {
    const template: Template = { records, database: undefined }
    if (kind !== 'embedded') {
      database ??= inDatabase()
      template.database = await database
    }
    const description = join(folder, `${kind}.json`)
    writeFileSync(description, JSON.stringify(template))
    const others = kind === 'citus-redis' ? await citusVariable() : {}
    return { ...others, [TEMPLATE_VARIABLE]: description }
  }

  const described = new Map<Kind, Promise<Record<string, string>>>()

  return {
    // Each description is written once: other files of the run are reading it.
    variables(kind) {
      const known = described.get(kind) ?? describe(kind)
      described.set(kind, known)
      return known
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
