import { createHash } from 'node:crypto'
import { Cluster, Redis } from 'ioredis'
import { clusterUrl, redisUrl } from '../../packages/server/src/trial/servers/shared-redis.ts'
import { type Deployment, KIND } from './deployment.ts'
import { inDatabase } from './in-database.ts'

/**
 * Forgets which requests were admitted, as happens by itself where one process serves a data folder
 * and is started anew: shared windows outlive the processes that ask them.
 */
export async function forgetWindows(
  { database }: Deployment,
  organizations: readonly number[],
): Promise<void> {
  if (database === undefined) return
  const prefix = `fg1:${await nameOf(database)}`
  const redis = await connected()
  await Promise.all(organizations.map((id) => redis.del(`${prefix}:{${id}}:window`)))
  redis.disconnect()
}

/** By which Redis tells deployments that share it apart. */
async function nameOf(database: string): Promise<string> {
  const { rows } = await inDatabase(database, (client) =>
    client.query('SELECT secret FROM deployment'),
  )
  return createHash('sha256').update(rows[0].secret).digest('hex').slice(0, 12)
}

async function connected(): Promise<Redis | Cluster> {
  if (KIND !== 'postgres-cluster') return new Redis(await redisUrl())
  const { host } = new URL((await clusterUrl()).replace(/^[a-z+]+:/, 'http:').split(',')[0]!)
  const [hostname, port] = host.split(':')
  return new Cluster([{ host: hostname!, port: Number(port) }])
}
