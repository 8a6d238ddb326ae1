import type { Store } from '../store.ts'
import { appender } from './append.ts'
import { backUp } from './backup.ts'
import { catalogueStore } from './catalogue.ts'
import { changeLog, watchChanges } from './changes.ts'
import { databaseFile } from './data-folder.ts'
import { type Database, openDatabase } from './database.ts'
import { historyReader } from './history.ts'
import { API_KEYS, FEED_TOKENS, keyStore } from './keys.ts'
import { GEOFENCES, OBJECTS, ROUTES, SITES } from './kinds.ts'
import { migrate } from './migrate.ts'
import { statesReader } from './object-states.ts'
import { organizationStore } from './organizations.ts'
import { purge } from './purge.ts'

/**
 * Opens the store of a data folder, which is made where it is missing. Any number of processes may
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
  const secret = database.reader.prepare('SELECT secret FROM deployment')
  return {
    organizations: organizationStore(database, changes),
    keys: keyStore(database, changes, API_KEYS),
    feedTokens: keyStore(database, changes, FEED_TOKENS),
    objects: catalogueStore(database, changes, OBJECTS),
    geofences: catalogueStore(database, changes, GEOFENCES),
    routes: catalogueStore(database, changes, ROUTES),
    sites: catalogueStore(database, changes, SITES),
    positions: {
      append: appender(database, changes),
      ...historyReader(database),
      states: statesReader(database),
    },
    async secret() {
      return database.read(() => Buffer.from((secret.get() as { secret: Uint8Array }).secret))
    },
    watch: (listener) => watchChanges(database, listener),
    backup: (target, progress) => backUp(database, target, progress),
    close: () => database.close(),
  }
}
