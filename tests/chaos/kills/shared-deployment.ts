import { spawnSync } from 'node:child_process'
import {
  type PostgresServer,
  startPostgres,
} from '../../../packages/server/testing/servers/postgres.ts'
import { postgresBinaries } from '../../../packages/server/testing/servers/postgres-binaries.ts'
import { type RedisServer, startRedis } from '../../../packages/server/testing/servers/redis.ts'
import type { Deployment } from '../../acceptance/harness/deployment.ts'

/** A deployment with its own PostgreSQL and Redis. */
export type SharedDeployment = {
  deployment: Deployment
  postgres: PostgresServer
  redis: RedisServer
  /** Clears the sliding windows, which outlive the processes. */
  forgetWindows(): Promise<void>
  stop(): Promise<void>
}

/** The server programs that this machine lacks; undefined if none. */
export function missingServer(): string | undefined {
  if (postgresBinaries().length === 0) return 'PostgreSQL'
  if (spawnSync('redis-server', ['--version']).status !== 0) return 'redis-server'
  return undefined
}

export async function shareDeployment(): Promise<SharedDeployment> {
  // An operator's settings: commits are on disk.
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
    redis,
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
