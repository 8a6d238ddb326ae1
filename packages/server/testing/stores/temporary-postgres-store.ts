import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { StoredBlock } from '../../src/data/positions/stored-blocks.ts'
import { ANNOUNCE, announced } from '../../src/data/postgres/announcements.ts'
import { statement } from '../../src/data/postgres/connection/connection-pool.ts'
import { type Database, openDatabase } from '../../src/data/postgres/connection/database.ts'
import {
  COORDINATOR_TABLES,
  DISTRIBUTED_TABLES,
  REFERENCE_TABLES,
  UNTOUCHED_TABLES,
} from '../../src/data/postgres/lay-out.ts'
import { openPostgresStore } from '../../src/data/postgres/open.ts'
import type { Store, Watch } from '../../src/engine/store/store.ts'
import { emptyDatabase } from '../servers/shared-postgres.ts'
import type { OpenedStore, PositionRow } from '../store-contract/fixture.ts'
import { changeByte, withPacked } from './packed-rows.ts'

/** Tables with one permanent row. */
const KEPT: readonly string[] = [
  'deployment',
  'change_epoch',
  'access_settings',
] satisfies (typeof UNTOUCHED_TABLES)[number][]
const REMOVALS = [
  ...DISTRIBUTED_TABLES,
  ...COORDINATOR_TABLES,
  ...UNTOUCHED_TABLES,
  ...REFERENCE_TABLES,
]
  .filter((table) => !KEPT.includes(table))
  .map((table) => `DELETE FROM ${table}`)
  .concat(
    'UPDATE access_settings SET requires_totp = false, api_url = NULL, console_url = NULL, feed_url = NULL',
  )
  // In Citus, for the rows that the reference tables' own rows delete.
  .toSpliced(0, 0, `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`)
  .map((text) => ({ name: '', text }))

const ROWS = statement(`
  SELECT organization, time_device AS time, hidden IS NULL AS "isShown" FROM positions`)
const BLOCKS = statement(`
  SELECT *, first_time AS first, last_time AS last FROM position_blocks`)

const FIND_BLOCK = statement('SELECT block FROM position_blocks WHERE first_time = $1')
const CHANGE_BLOCK = statement('UPDATE position_blocks SET block = $2 WHERE first_time = $1')

type TemporaryStore = OpenedStore & { url: string; database: Database }

/** For tests: a store with its own database, and a second connection to the same data. It ends with the test that is given. */
export const temporaryStore = temporaryStores(emptyDatabase)

/** Opens stores with databases of their own, each made by `newDatabase` or emptied after an earlier test. */
export function temporaryStores(newDatabase: () => Promise<string>) {
  /** For reuse: creating a database and its tables takes longer than most tests. */
  const left: string[] = []
  return async (t?: TestContext): Promise<TemporaryStore> => {
    const url = left.pop() ?? (await newDatabase())
    const database = openDatabase(url)
    const markers = changeMarkers(database)
    const stores: Store[] = []
    const reopen = async () => {
      const store = await openPostgresStore(url)
      stores.push(store)
      return markers.around(store)
    }
    const cleanUp = async () => {
      for (const store of stores) await store.close()
      await database.transaction(async (connection) => {
        for (const removal of REMOVALS) connection.run(removal)
      })
      await database.close()
      left.push(url)
    }
    t?.after(cleanUp)
    return {
      url,
      database,
      store: await reopen(),
      reopen,
      rows: async () =>
        withPacked(
          await database.query<PositionRow>(ROWS),
          await database.query<StoredBlock>(BLOCKS),
        ),
      async damageBlock(first, change = changeByte) {
        const [found] = await database.query<{ block: Buffer }>(FIND_BLOCK, [first])
        change(found!.block)
        await database.run(CHANGE_BLOCK, [first, found!.block])
      },
      toldStates: 'own',
      settled: markers.settled,
      cleanUp,
    }
  }
}

/** No organization has this id, so a change of it can mark the end of earlier changes. */
const NOBODY = -1
const PATIENCE_MS = 10_000

/**
 * Changes are reported in commit order, so a watcher that gets this marker has got all earlier ones.
 * Other watchers do not see the marker.
 */
function changeMarkers(database: Database) {
  const heard = new WeakMap<Watch, EventTarget>()
  let made = 0
  return {
    around: (store: Store): Store => ({
      ...store,
      watch(listener) {
        const markers = new EventTarget()
        const watch = store.watch((change) => {
          if (change.organization !== NOBODY) return listener(change)
          markers.dispatchEvent(new Event(`${change.sequence}`))
        })
        heard.set(watch, markers)
        return watch
      },
    }),
    async settled(watch: Watch): Promise<void> {
      made += 1
      const marker = { organization: NOBODY, topic: 'organization', sequence: made } as const
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const told = once(heard.get(watch)!, `${made}`, { signal })
      await database.run(ANNOUNCE, announced(NOBODY, [marker]))
      await told
    },
  }
}
