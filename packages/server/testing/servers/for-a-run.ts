import { rm } from 'node:fs/promises'
import { LAZY_UPKEEP, startCitus } from './citus.ts'
import { newDatabase, PREPARED_VARIABLE, preparePostgres, startPostgres } from './postgres.ts'
import { startRedis, startRedisCluster } from './redis.ts'

/** Environment variables that show the tests of a run where their shared servers are. */
export const SHARED = {
  postgres: 'FLEETGATE_TEST_POSTGRES',
  redis: 'FLEETGATE_TEST_REDIS',
  cluster: 'FLEETGATE_TEST_REDIS_CLUSTER',
  /** The coordinator and the workers of a Citus, separated by spaces. Tests then get distributed databases. */
  citus: 'FLEETGATE_TEST_CITUS',
} as const

type Started = { stop(): Promise<void> }

/** Starts the PostgreSQL that all files of a run share, and prepares those that files start for themselves. */
export async function sharePostgres(): Promise<
  Started & { database(name: string): Promise<string> }
> {
  const prepared = await preparePostgres()
  process.env[PREPARED_VARIABLE] = prepared
  const server = await startPostgres()
  process.env[SHARED.postgres] = server.url
  return {
    async stop() {
      await server.stop()
      await rm(prepared, { recursive: true, force: true })
    },
    database: (name) => newDatabase(server.url, name),
  }
}

/** Starts the Citus that the files of a run share instead of a PostgreSQL. Its variable is for them alone. */
export async function shareCitus(): Promise<Started & { servers: string[] }> {
  const { url, workerUrls, stop } = await startCitus(LAZY_UPKEEP)
  return { servers: [url, ...workerUrls], stop }
}

/** Long enough that a server which a busy machine lets wait does not count as gone: nobody stops a shared one. */
const NODE_TIMEOUT_MS = 10_000

/** Starts the Redis that all files of a run share. Keys are separated by deployment. */
export async function shareRedis(): Promise<Started> {
  const server = await startRedis()
  process.env[SHARED.redis] = server.patientUrl
  return server
}

/** The same for a Cluster. */
export async function shareCluster(): Promise<Started> {
  const server = await startRedisCluster(3, NODE_TIMEOUT_MS)
  process.env[SHARED.cluster] = server.patientUrl
  return server
}
