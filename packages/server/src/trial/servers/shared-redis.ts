import { after } from 'node:test'
import { startRedis, startRedisCluster } from './redis.ts'

/** Where the tests of a run find the servers that they share; what is kept in them goes by deployment. */
const SINGLE = 'FLEETGATE_TEST_REDIS'
const CLUSTER = 'FLEETGATE_TEST_REDIS_CLUSTER'

type Started = { readonly url: string; stop(): Promise<void> }

/** Starts the single server and the Cluster that all files of a run share (`--test-global-setup`). */
export async function shareRedis(): Promise<{ stop(): Promise<void> }> {
  const [single, cluster] = await Promise.all([startRedis(), startRedisCluster()])
  process.env[SINGLE] = single.url
  process.env[CLUSTER] = cluster.url
  return {
    async stop() {
      await Promise.all([single.stop(), cluster.stop()])
    },
  }
}

const own = new Map<string, Promise<Started>>()

/** The URL of the single server that the run, or else this file, has. */
export const redisUrl = () => urlOf(SINGLE, startRedis)

/** The URL of the Cluster that the run, or else this file, has. */
export const clusterUrl = () => urlOf(CLUSTER, startRedisCluster)

async function urlOf(variable: string, start: () => Promise<Started>): Promise<string> {
  const shared = process.env[variable]
  if (shared !== undefined) return shared
  const standing = own.get(variable) ?? startOwn(start)
  own.set(variable, standing)
  return (await standing).url
}

async function startOwn(start: () => Promise<Started>): Promise<Started> {
  const server = await start()
  after(() => server.stop())
  return server
}
