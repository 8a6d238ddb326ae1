import { randomBytes } from 'node:crypto'
import { after, before, describe } from 'node:test'
import type { QuotaCounts } from '../../src/data/live/realtime.ts'
import type { RedisRealtime } from '../../src/data/live/redis/redis-realtime.ts'
import { statement } from '../../src/data/postgres/connection/connection-pool.ts'
import { type Database, openDatabase } from '../../src/data/postgres/connection/database.ts'
import { openQuotaCounts, type PostgresQuotaCounts } from '../../src/data/postgres/live-counts.ts'
import { migrate } from '../../src/data/postgres/schema.ts'
import { emptyDatabase } from '../servers/shared-postgres.ts'
import { type OpenedRealtime, realtimeContract } from './realtime-contract.ts'
import { openOnRedis } from './redis-under-test.ts'

/** The contract of current data, on a Redis or a Cluster. */
export function redisContract(name: string, redis: string): void {
  describe(name, () => {
    let database: Database
    let counts: PostgresQuotaCounts
    before(async () => {
      const url = await emptyDatabase()
      await migrate(url)
      database = openDatabase(url)
      counts = openQuotaCounts(url)
    })
    after(async () => {
      await counts?.close()
      await database?.close()
    })
    realtimeContract(name, async () => {
      await database.run(statement('DELETE FROM quota_counts'))
      return openOn(redis, counts)
    })
  })
}

/** Opens it for a new deployment. */
async function openOn(url: string, counts: QuotaCounts): Promise<OpenedRealtime> {
  const secret = randomBytes(32)
  const opened: RedisRealtime[] = []
  const open = async () => {
    const realtime = await openOnRedis(url, { secret, counts })
    opened.push(realtime)
    return realtime
  }
  return {
    realtime: await open(),
    advanceUs: null,
    // The previous one is left open: a killed process closes nothing.
    restart: open,
    async cleanUp() {
      await Promise.all(opened.map((realtime) => realtime.close()))
    },
  }
}
