import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Store } from '../../engine/store/store.ts'
import { foldStore } from '../fold/fold-store.ts'
import { historyReader } from '../history/history.ts'
import { blockChecker } from '../positions/check-blocks.ts'
import { expiredPurger } from '../positions/expiry.ts'
import { packer } from '../positions/packer.ts'
import type { ItemKind } from '../tables/item-columns.ts'
import { type Purges, purges } from '../tables/purge.ts'
import { recordStore } from '../tables/record-tables.ts'
import { packingCounter, tableStores } from '../tables/table-stores.ts'
import { backUp } from './backup.ts'
import { changeLogStore } from './change-log-store.ts'
import { topicChanges, watchChanges } from './changes.ts'
import { databaseFile } from './data-folder.ts'
import { type Database, openDatabase } from './database/database.ts'
import { openMemoryDatabase } from './database/memory-database.ts'
import { itemParts } from './items.ts'
import { organizationStore } from './organizations.ts'
import { historySources } from './positions/history-source.ts'
import { FORM, tablesOf } from './positions/position-form.ts'
import { PURGE_PARTS } from './purge-parts.ts'
import { recordParts } from './records.ts'
import { migrate } from './schema.ts'
import { sqliteTables } from './tables.ts'

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
    const { store, purgeAll } = storeOver(database, now)
    await purgeAll()
    return store
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
    const { store } = storeOver(database, now)
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

function storeOver(
  database: Database,
  now: () => number,
): { store: Store; purgeAll: Purges['purgeAll'] } {
  const topics = topicChanges(database, now)
  const tables = sqliteTables(database, topics)
  const changeLog = changeLogStore(database, tables)
  const { purge, purgeAll } = purges(tables, PURGE_PARTS)
  const partsOf = (table: ItemKind<object>['table']) => itemParts(tables.dialect, purge, table)
  const stores = tableStores(tables, partsOf)
  const secret = database.reader.prepare('SELECT secret FROM deployment')
  const store: Store = {
    ...stores,
    organizations: organizationStore(database, topics, tables, purge),
    positions: {
      ...foldStore(tables, FORM, tablesOf),
      ...historyReader(historySources(database)),
      purgeExpired: expiredPurger(tables, FORM, tablesOf),
      makeRoom: async () => {},
      pack: packer(tables, FORM, tablesOf),
      packingCounts: packingCounter(tables),
      checkBlocks: blockChecker(tables),
    },
    changeLog,
    records: recordStore(tables, recordParts(tables)),
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
  return { store, purgeAll }
}
