import { after } from 'node:test'
import { SHARED } from './for-a-run.ts'
import { startRedis, startRedisCluster } from './redis.ts'

type Started = { readonly patientUrl: string; stop(): Promise<void> }

const own = new Map<string, Promise<Started>>()

// At the top level, so that it runs after all tests of the file.
after(async () => {
  await Promise.all([...own.values()].map(async (server) => (await server).stop()))
})

/** The patient URL of the run's single server, or of this file's own. */
export const redisUrl = () => urlOf(SHARED.redis, startRedis)

/** The patient URL of the run's Cluster, or of this file's own. */
export const clusterUrl = () => urlOf(SHARED.cluster, startRedisCluster)

async function urlOf(variable: string, start: () => Promise<Started>): Promise<string> {
  const shared = process.env[variable]
  if (shared !== undefined) return shared
  const running = own.get(variable) ?? start()
  own.set(variable, running)
  return (await running).patientUrl
}
