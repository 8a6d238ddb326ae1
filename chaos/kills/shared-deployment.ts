import { spawnSync } from 'node:child_process'
import type { Deployment } from '../../acceptance/harness/deployment.ts'
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/server/src/trial/servers/postgres.ts'
import { postgresBinaries } from '../../packages/server/src/trial/servers/postgres-binaries.ts'
import { startRedis } from '../../packages/server/src/trial/servers/redis.ts'

/** A deployment on a PostgreSQL and a Redis of its own. */
export type SharedDeployment = {
  deployment: Deployment
  postgres: PostgresServer
  /** Forgets which requests were admitted: shared windows outlive the processes that ask them. */
  forgetWindows(): Promise<void>
  stop(): Promise<void>
}

/** What of it this machine lacks; undefined where nothing. */
export function missingServer(): string | undefined {
  if (postgresBinaries().length === 0) return 'PostgreSQL'
  if (spawnSync('redis-server', ['--version']).status !== 0) return 'redis-server'
  return undefined
}

export async function shareDeployment(): Promise<SharedDeployment> {
  // As an operator has it: what is committed is on the disk.
  const postgres = await startPostgres({ fsync: 'on', full_page_writes: 'on' })
  const redis = await startRedis()
  const database = await postgres.database()
  const client = redis.client()
  return {
    deployment: {
      args: ['--database', database],
      serveArgs: ['--redis', redis.url],
      folder: undefined,
      database,
    },
    postgres,
    async forgetWindows() {
      const windows = await client.keys('fg1:*:window')
      if (windows.length > 0) await client.del(windows)
    },
    async stop() {
      await redis.stop()
      await postgres.stop()
    },
  }
}
