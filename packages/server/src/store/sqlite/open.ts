import { createSecretKey, type KeyObject } from 'node:crypto'
import { GEOFENCES, ROUTES, SITES } from '../kinds.ts'
import type { Store } from '../store.ts'
import { auditStore, notedWrites } from './audit.ts'
import { changeLogStore } from './change-log/change-log-store.ts'
import { topicChanges } from './changes.ts'
import { backUp } from './copy/backup.ts'
import { coverageStore } from './coverage.ts'
import { databaseFile } from './database/data-folder.ts'
import { type Database, openDatabase } from './database/database.ts'
import { openMemoryDatabase } from './database/memory-database.ts'
import { disclosureStore } from './disclosures.ts'
import { itemStore } from './items/items.ts'
import { API_KEYS, FEED_TOKENS, keyStore } from './items/keys.ts'
import { objectStore } from './items/objects.ts'
import { organizationStore } from './items/organizations.ts'
import { refusedIdentStore } from './items/refused-idents.ts'
import { migrate } from './migrate.ts'
import { operatorStore } from './operator.ts'
import { APPEND_SIZE, addressWriter, appender } from './positions/append.ts'
import { expiredPurger } from './positions/expiry.ts'
import { rejectRows } from './positions/fold-tables.ts'
import { foldTargets } from './positions/fold-targets.ts'
import { historyReader } from './positions/history.ts'
import { statesReader } from './positions/object-states.ts'
import { purge } from './positions/purge.ts'
import { refolder } from './positions/refold.ts'
import { recordStore } from './records/records.ts'
import { usageStore } from './usage.ts'
import { watchChanges } from './watch.ts'
import { webhookStore } from './webhooks/webhooks.ts'

/**
 * Opens the store of a data folder and creates the folder if it is missing. Any number of processes may
 * have it open. Rejects with `DataFolderTooNew` or `StoreUnavailable`.
 */
export async function openSqliteStore(
  folder: string,
  now: () => number = Date.now,
): Promise<Store> {
  const database = await openDatabase(databaseFile(folder))
  try {
    await migrate(database)
    await purge(database)
    return storeOver(database, now)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The numbers of the changes of a store in memory have this epoch. `secret`: as `Store.secret`. */
export type MemoryStoreFacts = { epoch: string; secret: KeyObject; now: () => number }

/** Opens an empty store in the memory of this process. It is gone when it is closed. */
export async function openMemoryStore({ epoch, secret, now }: MemoryStoreFacts): Promise<Store> {
  const database = openMemoryDatabase()
  try {
    await migrate(database)
    await database.write(() => {
      const settle = database.writer.prepare('UPDATE deployment SET epoch = ?, secret = ?')
      settle.run(epoch, secret.export())
    })
    const store = storeOver(database, now)
    const { changeLog } = store
    return {
      ...store,
      changeLog: {
        ...changeLog,
        view: (organization, work, signal) =>
          database.reading(() => changeLog.view(organization, work, signal)),
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

function storeOver(database: Database, now: () => number): Store {
  const topics = topicChanges(database, now)
  const noted = notedWrites(database)
  const changeLog = changeLogStore(database)
  const targets = foldTargets(database, topics)
  const rejects = rejectRows(database.reader)
  const secret = database.reader.prepare('SELECT secret FROM deployment')
  return {
    organizations: organizationStore(database, topics, noted),
    keys: keyStore(database, topics, noted, API_KEYS),
    feedTokens: keyStore(database, topics, noted, FEED_TOKENS),
    objects: objectStore(database, topics, noted),
    geofences: itemStore(database, topics, noted, GEOFENCES),
    routes: itemStore(database, topics, noted, ROUTES),
    sites: itemStore(database, topics, noted, SITES),
    refusedIdents: refusedIdentStore(database),
    positions: {
      appendSize: APPEND_SIZE,
      append: appender(database, targets, noted),
      ...refolder(database, targets, noted),
      address: addressWriter(database, targets),
      ...historyReader(database),
      purgeExpired: expiredPurger(database),
      makeRoom: async () => false,
      states: statesReader(database),
      async rejects(organization, object) {
        return database.read(() => rejects.list(organization, object))
      },
    },
    changeLog,
    operator: operatorStore(database, noted),
    audit: auditStore(database),
    usage: usageStore(database),
    disclosures: disclosureStore(database),
    webhooks: webhookStore(database, topics, noted),
    coverage: coverageStore(database),
    records: recordStore(database, topics),
    async secret() {
      return database.read(() => createSecretKey((secret.get() as { secret: Uint8Array }).secret))
    },
    watch: (listener) => watchChanges(database, topics, listener),
    backup: (target, progress, beside) => backUp(database, target, progress, beside),
    async close() {
      await changeLog.close()
      await database.close()
    },
  }
}
