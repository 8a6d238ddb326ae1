import { after } from 'node:test'
import { SHARED } from './for-a-run.ts'
import { startRedis, startRedisCluster } from './redis.ts'

type Started = { readonly patientUrl: string; stop(): Promise<void> }

const own = new Map<string, Promise<Started>>()

// Here, where no test is running yet, it is for when all of the file's tests have ended.
after(async () => {
  await Promise.all([...own.values()].map(async (server) => (await server).stop()))
})

/** The patient URL of the single server that the run, or else this file, has. */
export const redisUrl = () => urlOf(SHARED.redis, startRedis)

/** The patient URL of the Cluster that the run, or else this file, has. */
export const clusterUrl = () => urlOf(SHARED.cluster, startRedisCluster)

async function urlOf(variable: string, start: () => Promise<Started>): Promise<string> {
  const shared = process.env[variable]
  if (shared !== undefined) return shared
  const standing = own.get(variable) ?? start()
  own.set(variable, standing)
  return (await standing).patientUrl
}
