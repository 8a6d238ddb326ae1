import { emptyDatabase } from '../../trial/servers/shared-postgres.ts'
import type { OpenedStore } from '../contract/fixture.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './open.ts'

/** For tests: a store in a database of its own. */
export async function temporaryStore(): Promise<OpenedStore & { url: string }> {
  const url = await emptyDatabase()
  const stores: Store[] = []
  const reopen = async () => {
    const store = await openPostgresStore(url)
    stores.push(store)
    return store
  }
  return {
    url,
    store: await reopen(),
    reopen,
    async cleanUp() {
      for (const store of stores) await store.close()
    },
  }
}
