import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Deployment, inFolder, isEmbedded, KIND } from './deployment.ts'
import { inDatabase } from './in-database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Makes an empty deployment. */
export async function newDeployment(): Promise<Deployment> {
  return isEmbedded
    ? inFolder(join(temporaryFolder(), 'data'))
    : onServers(await postgres!.emptyDatabase())
}

/** Makes a deployment on a copy of a database. Redis keys are separated by the secret of the deployment. */
export async function onCopyOf(original: string): Promise<Deployment> {
  const database = await postgres!.databaseLike(original)
  await inDatabase(database, (client) =>
    client.query('UPDATE deployment SET secret = $1', [randomBytes(32)]),
  )
  return onServers(database)
}

async function onServers(database: string): Promise<Deployment> {
  const url = await (KIND === 'postgres-cluster' ? redis!.clusterUrl() : redis!.redisUrl())
  return {
    args: ['--database', database],
    serveArgs: ['--redis', url],
    folder: undefined,
    database,
  }
}

// Data folders need no drivers, which take 0.1 s to load.
const [postgres, redis] = isEmbedded
  ? []
  : await Promise.all([
      import('../../../packages/server/testing/servers/shared-postgres.ts'),
      import('../../../packages/server/testing/servers/shared-redis.ts'),
    ])
