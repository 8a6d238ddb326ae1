import { once } from 'node:events'
import { emptyDatabase } from '../../trial/servers/shared-postgres.ts'
import type { OpenedStore } from '../contract/fixture.ts'
import type { Store, Watch } from '../store.ts'
import { ANNOUNCE, announced } from './change-feed.ts'
import { type Database, openDatabase } from './database.ts'
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from './distribution.ts'
import { openPostgresStore } from './open.ts'

/** Databases that are empty again: making one, and its tables, takes longer than most tests. */
const left: string[] = []

/** Their one row stays. */
const KEPT: readonly string[] = [
  'deployment',
  'operator_password',
] satisfies (typeof REFERENCE_TABLES)[number][]
const REMOVALS = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES]
  .filter((table) => !KEPT.includes(table))
  .map((table) => `DELETE FROM ${table}`)
  .concat('UPDATE operator_password SET hash = NULL')
  .map((text) => ({ name: '', text }))

/** For tests: a store in a database of its own, and what reaches it by another way. */
export async function temporaryStore(): Promise<OpenedStore & { url: string; database: Database }> {
  const url = left.pop() ?? (await emptyDatabase())
  const database = openDatabase(url)
  const markers = changeMarkers(database)
  const stores: Store[] = []
  const reopen = async () => {
    const store = await openPostgresStore(url)
    stores.push(store)
    return markers.around(store)
  }
  return {
    url,
    database,
    store: await reopen(),
    reopen,
    toldStates: 'own',
    settled: markers.settled,
    async cleanUp() {
      for (const store of stores) await store.close()
      await database.transaction(async (connection) => {
        for (const removal of REMOVALS) connection.run(removal)
      })
      await database.close()
      left.push(url)
    },
  }
}

/** None has this id, so that a change of it can mark what was told before. */
const NOBODY = 0
const PATIENCE_MS = 10_000

/**
 * What was committed earlier is told earlier: a watch that has been told of a change of nobody's has
 * been told of all that came before. Nobody's changes are kept from whoever watches.
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
