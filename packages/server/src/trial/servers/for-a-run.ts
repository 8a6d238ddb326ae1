import { newDatabase, startPostgres } from './postgres.ts'
import { startRedis, startRedisCluster } from './redis.ts'

/** Where the tests of a run find the servers that they share: by these environment variables. */
export const SHARED = {
  postgres: 'FLEETGATE_TEST_POSTGRES',
  redis: 'FLEETGATE_TEST_REDIS',
  cluster: 'FLEETGATE_TEST_REDIS_CLUSTER',
} as const

type Started = { stop(): Promise<void> }

/** Starts the PostgreSQL that all files of a run share. */
export async function sharePostgres(): Promise<
  Started & { database(name: string): Promise<string> }
> {
  const server = await startPostgres()
  process.env[SHARED.postgres] = server.url
  return { stop: server.stop, database: (name) => newDatabase(server.url, name) }
}

/** Starts the single Redis and the Cluster that all files of a run share: what is kept goes by deployment. */
export async function shareRedis(): Promise<Started> {
  const [single, cluster] = await Promise.all([startRedis(), startRedisCluster()])
  process.env[SHARED.redis] = single.patientUrl
  process.env[SHARED.cluster] = cluster.patientUrl
  return {
    async stop() {
      await Promise.all([single.stop(), cluster.stop()])
    },
  }
}
