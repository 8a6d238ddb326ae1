import { randomBytes } from 'node:crypto'
import { after, before, describe } from 'node:test'
import {
  type OpenedRealtime,
  realtimeContract,
} from '../../../testing/realtime-contract/realtime-contract.ts'
import { emptyDatabase } from '../../../testing/servers/shared-postgres.ts'
import { clusterUrl, redisUrl } from '../../../testing/servers/shared-redis.ts'
import { systemClock } from '../../domain/time/clock.ts'
import { statement } from '../../store/postgres/connection/connections.ts'
import { type Database, openDatabase } from '../../store/postgres/database.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { openQuotaCounts, type PostgresQuotaCounts } from '../../store/postgres/quota-counts.ts'
import type { QuotaCounts } from '../quota-counts.ts'
import { openRedisRealtime, type RedisRealtime } from './redis-realtime.ts'

// Outside any suite, so that servers of this file run until its end.
const SERVERS = { 'one Redis': await redisUrl(), 'a Redis Cluster': await clusterUrl() }

for (const [name, redis] of Object.entries(SERVERS)) {
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
    const settings = { url, secret, isStrict: false, counts, clock: systemClock, log: () => {} }
    const realtime = await openRedisRealtime(settings)
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
