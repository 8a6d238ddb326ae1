import { createSecretKey } from 'node:crypto'
import type { Store } from '../../engine/store/store.ts'
import { foldStore } from '../fold/fold-store.ts'
import { historyReader } from '../history/history.ts'
import { blockChecker } from '../positions/check-blocks.ts'
import { expiredPurger } from '../positions/expiry.ts'
import { packer } from '../positions/packer.ts'
import type { ItemKind } from '../tables/item-columns.ts'
import { purges } from '../tables/purge.ts'
import { recordStore } from '../tables/record-tables.ts'
import { packingCounter, tableStores } from '../tables/table-stores.ts'
import { openAnnouncements } from './announcements.ts'
import { changeLogStore } from './change-log/change-log-store.ts'
import { statement } from './connection/connection-pool.ts'
import { type Database, openDatabase } from './connection/database.ts'
import { openReadConnections, openReplicas } from './connection/read-connections.ts'
import { itemParts } from './items.ts'
import { organizationWrites } from './organization-writes.ts'
import { organizationStore } from './organizations.ts'
import { historySources } from './positions/history-source.ts'
import { partitions } from './positions/partitions.ts'
import { FORM, tablesOf } from './positions/position-form.ts'
import { PURGE_PARTS } from './purge-parts.ts'
import { recordParts } from './records.ts'
import { migrate } from './schema.ts'
import { postgresTables } from './tables.ts'

type Deployment = { secret: Buffer; xmin: bigint; isDistributed: boolean }

const DEPLOYMENT = statement(`
  SELECT secret, pg_snapshot_xmin(pg_current_snapshot()) AS xmin,
    to_regclass('pg_dist_partition') IS NOT NULL AS "isDistributed"
  FROM deployment
`)

/** Waits for a write to the organization that is committed on the coordinator and not yet on its worker. */
const SETTLED = statement('SELECT FROM sequences WHERE organization = $1 FOR KEY SHARE')

export type PostgresOptions = {
  /** URLs of replicas, used for histories only. */
  replicas?: readonly string[]
  /** How far behind a replica may be. */
  maximumLagMs?: number
  /** Milliseconds since the epoch. */
  now?: () => number
}

const MAX_LAG_MS = 5_000

/**
 * Opens the store of a PostgreSQL database and creates missing tables. Any number of processes may have
 * it open, also of neighboring versions. Rejects with `DatabaseTooNew` or `StoreUnavailable`.
 */
export async function openPostgresStore(
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  await migrate(url)
  const database = openDatabase(url)
  try {
    await partitions(database).make(Date.now())
    const [deployment] = await database.query<Deployment>(DEPLOYMENT)
    return storeOver(database, deployment!, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

function storeOver(
  database: Database,
  { secret, xmin, isDistributed }: Deployment,
  { replicas = [], maximumLagMs = MAX_LAG_MS, now = Date.now }: PostgresOptions,
): Store {
  const settled = (organization: number) => database.query(SETTLED, [organization])
  const announcements = openAnnouncements(database.url, xmin, isDistributed ? settled : undefined)
  const writesOf = (opened: Database) => organizationWrites(opened, announcements, now)
  const writes = writesOf(database)
  const tables = postgresTables(database, writes, announcements, isDistributed)
  const { purge, purgeAll } = purges(tables, PURGE_PARTS)
  const partsOf = (table: ItemKind<object>['table']) => itemParts(tables.dialect, purge, table)
  const stores = tableStores(tables, partsOf)
  const changeLog = changeLogStore(database, tables)
  const primary = openReadConnections(database.url)
  const followers = openReplicas(primary, replicas, maximumLagMs)
  return {
    ...stores,
    organizations: organizationStore(database, tables, writesOf, announcements, purge),
    positions: {
      ...foldStore(tables, FORM, tablesOf),
      ...historyReader(historySources({ primary, lagging: followers.lagging })),
      purgeExpired: expiredPurger(tables, FORM, tablesOf),
      pack: packer(tables, FORM, tablesOf),
      packingCounts: packingCounter(tables),
      checkBlocks: blockChecker(tables),
      async makeRoom(now, signal) {
        // Finishes interrupted deletions.
        await purgeAll(signal)
        return partitions(database).makeRoom(now, signal)
      },
    },
    changeLog,
    records: recordStore(tables, recordParts(database, isDistributed)),
    secret: async () => createSecretKey(secret),
    watch: (listener) => announcements.watch(listener),
    async backup() {
      throw new Error(
        'Back up a PostgreSQL database with its own tools, such as pg_dump: see docs/operating/backups.md.',
      )
    },
    async close() {
      await announcements.close()
      await changeLog.close()
      await database.close()
      await followers.close()
      await primary.close()
    },
  }
}
