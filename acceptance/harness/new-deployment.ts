import { randomBytes } from 'node:crypto'
import { emptyDatabase } from '../../packages/server/src/trial/servers/shared-postgres.ts'
import { clusterUrl, redisUrl } from '../../packages/server/src/trial/servers/shared-redis.ts'
import { type Deployment, inFolder, isEmbedded, KIND } from './deployment.ts'
import { inDatabase } from './in-database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** An empty one. */
export async function newDeployment(): Promise<Deployment> {
  return isEmbedded ? inFolder(temporaryFolder()) : onServers(await emptyDatabase())
}

/** Of a database that was copied from another: what is shared in Redis goes by its secret. */
export async function onCopy(database: string): Promise<Deployment> {
  await inDatabase(database, (client) =>
    client.query('UPDATE deployment SET secret = $1', [randomBytes(32)]),
  )
  return onServers(database)
}

async function onServers(database: string): Promise<Deployment> {
  const redis = KIND === 'postgres-cluster' ? await clusterUrl() : await redisUrl()
  return {
    args: ['--database', database],
    serveArgs: ['--redis', redis],
    folder: undefined,
    database,
  }
}
