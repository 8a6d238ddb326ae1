import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import type { OpenedStore } from '../store-contract/fixture.ts'

/** For tests: a store in its own folder. */
export async function temporaryStore(): Promise<OpenedStore & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-store-'))
  const stores: Store[] = []
  const reopen = async () => {
    const store = await openSqliteStore(folder)
    stores.push(store)
    return store
  }
  return {
    folder,
    store: await reopen(),
    reopen,
    toldStates: 'all',
    settled: async (watch) => watch.catchUp(),
    async cleanUp() {
      for (const store of stores) await store.close()
      await rm(folder, { recursive: true })
    },
  }
}
