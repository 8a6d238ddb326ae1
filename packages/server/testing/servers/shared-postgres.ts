import { after } from 'node:test'
import { copyDeployment } from '../../src/data/copy/copy-deployment.ts'
import { openCopySource, openCopyTarget } from '../../src/run/compose.ts'
import { newCitusDatabase } from './citus.ts'
import { databaseName, dropEndedDatabases } from './ended-databases.ts'
import { SHARED } from './for-a-run.ts'
import { newDatabase, type PostgresServer, startPostgres } from './postgres.ts'

const citus = process.env[SHARED.citus]
/** Whether the databases are distributed. */
export const isOnCitus = citus !== undefined

let own: Promise<PostgresServer> | undefined
let databases = 0

// At the top level, so that it runs after all tests of the file.
after(async () => {
  await (await own)?.stop()
})

/** The URL of a new, empty database, on the run's server or on this file's own. */
export async function emptyDatabase(): Promise<string> {
  const name = nextName()
  if (citus === undefined) return newDatabase(await serverUrl(), name)
  const servers = citus.split(' ')
  await dropEndedDatabases(servers)
  return newCitusDatabase(servers, name)
}

/** The URL of a copy of a database on the same server, or of one on any server in the run's Citus. Nobody may be connected to the original. */
export async function databaseLike(original: string): Promise<string> {
  if (citus !== undefined) return copyOf(original, await emptyDatabase())
  const name = nextName()
  const { pathname } = new URL(original)
  return newDatabase(await serverUrl(), name, pathname.slice(1))
}

async function copyOf(original: string, to: string): Promise<string> {
  const now = Date.now()
  const source = await openCopySource({ database: original }, now)
  const { secret } = await source.facts()
  const target = await openCopyTarget({ database: to, allowDataLoss: true }, secret, now)
  await copyDeployment(source, target, () => {}, new AbortController().signal)
  await target.close()
  await source.close()
  return to
}

function nextName(): string {
  databases += 1
  return databaseName(databases)
}

/** The URL of the run's server, or of this file's own. */
export async function serverUrl(): Promise<string> {
  const shared = process.env[SHARED.postgres]
  if (shared !== undefined) return shared
  own ??= startPostgres()
  return (await own).url
}
