import { GEOFENCES, ROUTES, SITES } from '../kinds.ts'
import type { Store } from '../store.ts'
import { addressWriter } from './addresses.ts'
import { APPEND_SIZE, appender } from './append.ts'
import { auditStore } from './audit.ts'
import { backUp } from './backup.ts'
import { catalogueStore } from './catalogue.ts'
import { changeLog, watchChanges } from './changes.ts'
import { databaseFile } from './data-folder.ts'
import { type Database, openDatabase } from './database.ts'
import { expiredPurger } from './expiry.ts'
import { historyReader } from './history.ts'
import { API_KEYS, FEED_TOKENS, keyStore } from './keys.ts'
import { migrate } from './migrate.ts'
import { statesReader } from './object-states.ts'
import { objectStore } from './objects.ts'
import { operatorStore } from './operator.ts'
import { organizationStore } from './organizations.ts'
import { purge } from './purge.ts'
import { refolder } from './refold.ts'
import { refusedIdentStore } from './refused-idents.ts'
import { rejectRows } from './rejects.ts'
import { trackedObjects } from './tracked.ts'
import { usageStore } from './usage.ts'

/**
 * Opens the store of a data folder and creates the folder if it is missing. Any number of processes may
 * have it open. Rejects with `DataFolderTooNew` or `StoreUnavailable`.
 */
export async function openSqliteStore(folder: string): Promise<Store> {
  const database = await openDatabase(databaseFile(folder))
  try {
    await migrate(database)
    await purge(database)
    return storeOver(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

function storeOver(database: Database): Store {
  const changes = changeLog(database)
  const tracked = trackedObjects(database, changes)
  const rejects = rejectRows(database.reader)
  const secret = database.reader.prepare('SELECT secret FROM deployment')
  return {
    organizations: organizationStore(database, changes),
    keys: keyStore(database, changes, API_KEYS),
    feedTokens: keyStore(database, changes, FEED_TOKENS),
    objects: objectStore(database, changes),
    geofences: catalogueStore(database, changes, GEOFENCES),
    routes: catalogueStore(database, changes, ROUTES),
    sites: catalogueStore(database, changes, SITES),
    refusedIdents: refusedIdentStore(database),
    positions: {
      appendSize: APPEND_SIZE,
      append: appender(database, tracked),
      ...refolder(database, tracked),
      address: addressWriter(tracked),
      ...historyReader(database),
      purgeExpired: expiredPurger(database),
      makeRoom: async () => false,
      states: statesReader(database),
      async rejects(organization, object) {
        return database.read(() => rejects.list(organization, object))
      },
    },
    operator: operatorStore(database),
    audit: auditStore(database),
    usage: usageStore(database),
    async secret() {
      return database.read(() => Buffer.from((secret.get() as { secret: Uint8Array }).secret))
    },
    watch: (listener) => watchChanges(database, changes, listener),
    backup: (target, progress, beside) => backUp(database, target, progress, beside),
    close: () => database.close(),
  }
}
