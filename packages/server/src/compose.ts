import { existsSync, statSync } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from './domain/clock.ts'
import type { Geocoder } from './geocoding/geocoder.ts'
import { openNominatimGeocoder } from './geocoding/nominatim/nominatim-geocoder.ts'
import { systemWait } from './geocoding/nominatim/pace.ts'
import { openOfflineGeocoder } from './geocoding/offline/offline-geocoder.ts'
import { openMemoryRealtime, QUOTA_JOURNAL } from './realtime/memory/memory-realtime.ts'
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
  // Unlike existsSync, this does not take a folder that may not be entered for an empty one.
  return statSync(join(dataFolder, DATABASE_FILE), { throwIfNoEntry: false }) !== undefined
}

/**
 * Copies all that a data folder keeps, while it is in use, into an empty folder that can be served
 * in its place. A frame of the journal that is being written just then is torn in the copy, and left
 * out when it is read: its charge was not acknowledged yet.
 */
export async function backUp(
  store: Store,
  dataFolder: string,
  folder: string,
  progress: (done: number, total: number) => void,
): Promise<void> {
  await store.backup(folder, progress)
  const journal = join(dataFolder, QUOTA_JOURNAL)
  if (!existsSync(journal)) return
  const copy = join(folder, QUOTA_JOURNAL)
  await copyFile(journal, copy)
  const handle = await open(copy, 'r+')
  await handle.sync().finally(() => handle.close())
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

/** Where addresses come from: the places that ship with the server, nowhere, or a server. */
export type GeocoderSource = 'offline' | 'off' | URL

export type GeocoderSettings = {
  source: GeocoderSource
  /** Of a server: how often it may be asked, and how requests name their sender. */
  requestsPerSecond: number
  userAgent: string
}

/** `tell` hears why there are no addresses just now. */
export function openGeocoder(
  { source, requestsPerSecond, userAgent }: GeocoderSettings,
  clock: Clock,
  tell: (failure: string) => void,
): Geocoder | null {
  if (source === 'off') return null
  if (source === 'offline') return openOfflineGeocoder(tell)
  return openNominatimGeocoder({
    url: source,
    userAgent,
    requestsPerSecond,
    clock,
    wait: systemWait,
    tell,
  })
}
