import { randomBytes } from 'node:crypto'
import { systemClock } from '../../src/base/domain/time/time.ts'
import type { QuotaCounts } from '../../src/data/live/realtime.ts'
import {
  openRedisRealtime,
  type RedisRealtime,
  type RedisSettings,
} from '../../src/data/live/redis/redis-realtime.ts'
import { openQuotaCounts, type PostgresQuotaCounts } from '../../src/data/postgres/live-counts.ts'
import { migrate } from '../../src/data/postgres/schema.ts'
import { emptyDatabase } from '../servers/shared-postgres.ts'

/** Counts that nobody reads. */
const NO_COUNTS: QuotaCounts = { read: async () => new Map(), write: async () => {} }

/** Opens the port for a deployment of its own, unless the settings name another one. */
export function openOnRedis(
  url: string,
  settings: Partial<RedisSettings> = {},
): Promise<RedisRealtime> {
  const usual = { secret: randomBytes(32), isStrict: false, counts: NO_COUNTS, clock: systemClock }
  return openRedisRealtime({ ...usual, url, log: () => {}, ...settings })
}

/** The counts of a new database. */
export async function newQuotaCounts(): Promise<PostgresQuotaCounts> {
  const url = await emptyDatabase()
  await migrate(url)
  return openQuotaCounts(url)
}
