import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { StoredBlock } from '../../src/data/positions/stored-blocks.ts'
import { DATABASE_FILE } from '../../src/data/sqlite/data-folder.ts'
import { openSqliteStore } from '../../src/data/sqlite/open.ts'
import type { Store } from '../../src/engine/store/store.ts'
import type { OpenedStore } from '../store-contract/fixture.ts'
import { changeByte, withPacked } from './packed-rows.ts'

type TemporaryStore = OpenedStore & {
  folder: string
  file: string
  /** Opens the database of the store as well, until the end of both. */
  inspect(): DatabaseSync
}

/** For tests: a store in its own folder. It ends with the test that is given. */
export async function temporaryStore(t?: TestContext): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-store-'))
  const stores: Store[] = []
  const reopen = async () => {
    const store = await openSqliteStore(folder)
    stores.push(store)
    return store
  }
  const databases: DatabaseSync[] = []
  const cleanUp = async () => {
    for (const database of databases) database.close()
    for (const store of stores) await store.close()
    await rm(folder, { recursive: true })
  }
  t?.after(cleanUp)
  const file = join(folder, DATABASE_FILE)
  const inspect = () => {
    const database = new DatabaseSync(file, { timeout: 5_000 })
    databases.push(database)
    return database
  }
  return {
    folder,
    file,
    store: await reopen(),
    reopen,
    inspect,
    async rows() {
      const database = inspect()
      const rows = database
        .prepare(`
          SELECT organization, time_device AS time, hidden IS NULL AS shown FROM positions`)
        .all()
        .map(({ organization, time, shown }) => {
          return { organization: Number(organization), time: Number(time), isShown: shown === 1 }
        })
      const blocks = database.prepare(`
        SELECT *, first_time AS first, last_time AS last FROM position_blocks`)
      return withPacked(rows, blocks.all() as unknown as StoredBlock[])
    },
    async damageBlock(first, change = changeByte) {
      const database = inspect()
      const { block } = database
        .prepare('SELECT block FROM position_blocks WHERE first_time = ?')
        .get(first) as { block: Uint8Array }
      change(Buffer.from(block.buffer, block.byteOffset, block.length))
      database
        .prepare('UPDATE position_blocks SET block = ? WHERE first_time = ?')
        .run(block, first)
    },
    toldStates: 'all',
    settled: async (watch) => watch.catchUp(),
    cleanUp,
  }
}
