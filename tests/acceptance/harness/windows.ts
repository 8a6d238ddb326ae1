import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Cluster, Redis } from 'ioredis'
import { type Deployment, KIND } from './deployment.ts'
import { inDatabase } from './in-database.ts'

/** Clears the sliding windows. A restart does so with a data folder, but shared windows outlive the processes. */
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

/** Writes a list under a key of the deployment, as another program would. Returns what removes it. */
export async function writeAnother(
  { database }: Deployment,
  key: string,
): Promise<() => Promise<void>> {
  const name = `fg1:${await nameOf(database!)}:${key}`
  const redis = await connected()
  await redis.del(name)
  await redis.rpush(name, 'another type')
  return async () => {
    await redis.del(name)
    redis.disconnect()
  }
}

/** The name by which Redis separates deployments. */
async function nameOf(database: string): Promise<string> {
  const { rows } = await inDatabase(database, (client) =>
    client.query('SELECT secret FROM deployment'),
  )
  return createHash('sha256').update(rows[0].secret).digest('hex').slice(0, 12)
}

async function connected(): Promise<Redis | Cluster> {
  const [{ Cluster, Redis }, { clusterUrl, redisUrl }] = await Promise.all([
    import('ioredis'),
    import('../../../packages/server/testing/servers/shared-redis.ts'),
  ])
  if (KIND !== 'postgres-cluster') return new Redis(await redisUrl())
  const { host } = new URL((await clusterUrl()).replace(/^[a-z+]+:/, 'http:').split(',')[0]!)
  const [hostname, port] = host.split(':')
  return new Cluster([{ host: hostname!, port: Number(port) }])
}

/**
 * Removes all that Redis knows of a deployment, as the operator does before its database continues from a backup or
 * from a copy.
 */
export async function emptyRedis({ database }: Deployment): Promise<void> {
  if (database === undefined) return
  const pattern = `fg1:${await nameOf(database)}*`
  const redis = await connected()
  // A client of a Cluster knows its nodes only then.
  if (redis.status !== 'ready') await once(redis, 'ready')
  const nodes = 'nodes' in redis ? redis.nodes('master') : [redis]
  for (const node of nodes) {
    for await (const keys of node.scanStream({ match: pattern })) {
      for (const key of keys as string[]) await redis.del(key)
    }
  }
  redis.disconnect()
}
