import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from './domain/clock.ts'
import { openMemoryRealtime } from './realtime/memory/memory-realtime.ts'
import type { Realtime } from './realtime/realtime.ts'
import { DATABASE_FILE } from './store/sqlite/data-folder.ts'
import { lockDataFolder } from './store/sqlite/data-folder-lock.ts'
import { openSqliteStore } from './store/sqlite/open.ts'
import type { Store } from './store/store.ts'

/** Opens the store of a data folder, which is made where it is missing. */
export function openStore(dataFolder: string): Promise<Store> {
  return openSqliteStore(dataFolder)
}

/** Whether a data folder holds a store already. */
export function hasStore(dataFolder: string): boolean {
  return existsSync(join(dataFolder, DATABASE_FILE))
}

/** The adapters of one deployment, open. */
export type Deployment = {
  store: Store
  realtime: Realtime
  /** Closes what is open and lets another process serve the folder. */
  close(): Promise<void>
}

/** Claims a data folder for serving and opens what it holds, made where it is missing. */
export async function openDeployment(dataFolder: string, clock: Clock): Promise<Deployment> {
  const lock = lockDataFolder(dataFolder)
  try {
    const store = await openStore(dataFolder)
    const realtime = openMemoryRealtime(dataFolder, clock)
    return {
      store,
      realtime,
      async close() {
        await realtime.close()
        await store.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
