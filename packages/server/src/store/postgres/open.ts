import { GEOFENCES, ROUTES, SITES } from '../kinds.ts'
import type { Store } from '../store.ts'
import { addressWriter } from './addresses.ts'
import { APPEND_SIZE, appender } from './append.ts'
import { auditStore } from './audit.ts'
import { catalogueStore } from './catalogue.ts'
import { changeFeed } from './change-feed.ts'
import { type Database, openDatabase } from './database.ts'
import { expiredPurger } from './expiry.ts'
import { historyReader } from './history.ts'
import { API_KEYS, FEED_TOKENS, keyStore } from './keys.ts'
import { migrate } from './migrate.ts'
import { statesReader } from './object-states.ts'
import { objectStore } from './objects.ts'
import { operatorStore } from './operator.ts'
import { organizationWrites } from './organization-writes.ts'
import { organizationStore } from './organizations.ts'
import { partitions } from './partitions.ts'
import { purge } from './purge.ts'
import { openReading } from './reading.ts'
import { refolder } from './refold.ts'
import { refusedIdentStore } from './refused-idents.ts'
import { rejectReader } from './rejects.ts'
import { openReplicas } from './replicas.ts'
import { statement } from './statement.ts'
import { trackedObjects } from './tracked.ts'
import { usageStore } from './usage.ts'

const DEPLOYMENT = statement(`
  SELECT secret, pg_snapshot_xmin(pg_current_snapshot()) AS xmin FROM deployment
`)

export type PostgresOptions = {
  /** URLs of replicas, used for histories only. */
  replicas?: readonly string[]
  /** How far behind a replica may be. */
  maximumLagMs?: number
}

const MAXIMUM_LAG_MS = 5_000

/**
 * Opens the store of a PostgreSQL database and creates missing tables. Any number of processes may have
 * it open, also of neighbouring versions. Rejects with `DatabaseTooNew` or `StoreUnavailable`.
 */
export async function openPostgresStore(
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  await migrate(url)
  const database = openDatabase(url)
  try {
    await partitions(database).make(Date.now())
    const [deployment] = await database.query<{ secret: Buffer; xmin: bigint }>(DEPLOYMENT)
    return storeOver(database, deployment!, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

function storeOver(
  database: Database,
  { secret, xmin }: { secret: Buffer; xmin: bigint },
  { replicas = [], maximumLagMs = MAXIMUM_LAG_MS }: PostgresOptions,
): Store {
  const feed = changeFeed(database.url, xmin)
  const writes = organizationWrites(database, feed)
  const tracked = trackedObjects(writes)
  const primary = openReading(database.url)
  const followers = openReplicas(primary, replicas, maximumLagMs)
  return {
    organizations: organizationStore(database, writes, feed),
    keys: keyStore(database, writes, API_KEYS),
    feedTokens: keyStore(database, writes, FEED_TOKENS),
    objects: objectStore(database, writes),
    geofences: catalogueStore(database, writes, GEOFENCES),
    routes: catalogueStore(database, writes, ROUTES),
    sites: catalogueStore(database, writes, SITES),
    refusedIdents: refusedIdentStore(database, writes),
    positions: {
      appendSize: APPEND_SIZE,
      append: appender(tracked),
      ...refolder(database, tracked),
      address: addressWriter(tracked),
      rejects: rejectReader(database),
      ...historyReader({ primary, lagging: followers.lagging }),
      states: statesReader(primary),
      purgeExpired: expiredPurger(database, writes),
      async makeRoom(now, expired, signal) {
        // Finishes interrupted deletions.
        await purge(database)
        return partitions(database).makeRoom(now, expired, signal)
      },
    },
    operator: operatorStore(database),
    audit: auditStore(database),
    usage: usageStore(database),
    secret: async () => secret,
    watch: (listener) => feed.watch(listener),
    async backup() {
      throw new Error(
        'A PostgreSQL database is backed up by its own means, such as pg_dump: see docs/operating.md.',
      )
    },
    async close() {
      await feed.close()
      await database.close()
      await followers.close()
      await primary.close()
    },
  }
}
