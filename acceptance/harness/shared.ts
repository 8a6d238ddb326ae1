import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharePostgres, shareRedis } from '../../packages/server/src/trial/servers/for-a-run.ts'
import { inFolder, type Kind } from './deployment.ts'
import { fleetgateJson } from './fleetgate.ts'
import { makeFleet, TEMPLATE_VARIABLE, type Template, WHOLE_SIZE } from './make-fleet.ts'

/** What all files of a run share: the fleet, and servers. */
export type Shared = {
  /** Environment variables that tell a run on this deployment where all is. */
  variables(kind: Kind): Promise<Record<string, string>>
  close(): Promise<void>
}

export async function openShared(): Promise<Shared> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-acceptance-'))
  // A command's start is mostly compiling; the hundreds of them in a run share what was compiled.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
  const servers: { stop(): Promise<void> }[] = []
  // Where one cannot be made, each file then makes its own and fails by its name; the other tests of
  // the run go on.
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
  const [postgres] = await Promise.all([
    share('PostgreSQL', sharePostgres),
    share('Redis', shareRedis),
  ])
  const data = join(folder, 'data')
  const records = await makeFleet(inFolder(data), WHOLE_SIZE)
  let database: Promise<string> | undefined

  /** The same fleet, moved there. */
  async function inDatabase(): Promise<string> {
    if (postgres === undefined) throw new Error('there is no PostgreSQL for the fleet')
    const url = await postgres.database('fleet')
    await fleetgateJson(['copy', '--from', data, '--to', url])
    return url
  }

  return {
    async variables(kind) {
      const template: Template = { records, database: undefined }
      if (kind !== 'embedded') {
        database ??= inDatabase()
        template.database = await database
      }
      const description = join(folder, `${kind}.json`)
      writeFileSync(description, JSON.stringify(template))
      return { [TEMPLATE_VARIABLE]: description }
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
