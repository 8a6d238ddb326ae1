import { existsSync, statSync } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, utcDay } from '../base/domain/time/time.ts'
import type { Geocoder } from '../base/geocoding/geocoder.ts'
import { openNominatimGeocoder } from '../base/geocoding/nominatim/nominatim-geocoder.ts'
import { systemWait } from '../base/geocoding/nominatim/request-pace.ts'
import { openOfflineGeocoder } from '../base/geocoding/offline/offline-geocoder.ts'
import type { Logger } from '../base/http/listener-log.ts'
import type { CopySource, CopyTarget } from '../data/copy/copy-port.ts'
import { memorySnapshots, openMemoryRealtime } from '../data/live/memory/memory-realtime.ts'
import {
  QUOTA_JOURNAL,
  readJournaledCounts,
  writeJournaledCounts,
} from '../data/live/memory/quota-journal.ts'
import type { Realtime } from '../data/live/realtime.ts'
import { checkForServing, parseRedisUrl } from '../data/live/redis-url.ts'
import type { QuotaFile } from '../data/sqlite/copy.ts'
import { DATABASE_FILE, DataFolderInUse, lockDataFolder } from '../data/sqlite/data-folder.ts'
import { openMemoryStore, openSqliteStore } from '../data/sqlite/open.ts'
import { shrinkFolder } from '../data/sqlite/shrink.ts'
import { folderStatus } from '../data/sqlite/status.ts'
import type { Store } from '../engine/store/store.ts'
import type {
  DistributeProgress,
  Layout,
  OnShrinking,
  Shrunk,
  StoreStatus,
} from '../engine/store/store-status.ts'
import { forgetErased } from '../work/forget-erased.ts'
import type { OpenInMemory } from '../work/simulated/test-fleet/open-test-fleet.ts'
import type { SharedStates } from '../work/tasks/reconciling.ts'
import { withErasureFile } from './erasure-file.ts'

/** The place of the store: a data folder, or a PostgreSQL database and its replicas. */
export type StoreLocation =
  | { folder: string }
  | {
      database: string
      replicas?: readonly string[]
      /** Whether to accept a database that may lose what it has confirmed. */
      allowDataLoss?: boolean
    }

/** Opens a store. Creates a missing data folder. A database must exist. */
export async function openStore(location: StoreLocation): Promise<Store> {
  if ('folder' in location) return openDataFolder(location.folder)
  // Load the driver only for a database: a command on a data folder does not need it.
  const { openPostgresStore } = await import('../data/postgres/open.ts')
  await checkDatabase(location)
  return openPostgresStore(location.database, { replicas: location.replicas ?? [] })
}

async function openDataFolder(folder: string, now?: () => number): Promise<Store> {
  const store = await openSqliteStore(folder, now)
  try {
    return await withErasureFile(store, folder)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function checkDatabase(location: {
  database: string
  allowDataLoss?: boolean
}): Promise<void> {
  const { checkServer } = await import('../data/postgres/connection/server-check.ts')
  await checkServer(location.database, location.allowDataLoss === true)
}

/** Reads the status of a store, which may be of another version, without changing it. */
export async function storeStatus(location: StoreLocation): Promise<StoreStatus> {
  if ('folder' in location) return folderStatus(location.folder)
  const { databaseStatus } = await import('../data/postgres/status.ts')
  return databaseStatus(location.database, location.allowDataLoss === true)
}

/** Whether a data folder holds a store already. */
export function hasStore(dataFolder: string): boolean {
  // Unlike existsSync, this does not take a folder that may not be entered for an empty one.
  return statSync(join(dataFolder, DATABASE_FILE), { throwIfNoEntry: false }) !== undefined
}

/** Claims a folder for this process, as a server claims its data folder. Null: another process has it. */
export function lockFolder(folder: string): { release(): void } | null {
  try {
    return lockDataFolder(folder)
  } catch (error) {
    if (error instanceof DataFolderInUse) return null
    throw error
  }
}

/**
 * Copies a data folder, which may be in use, into an empty folder that a server can serve instead. If a
 * frame of the journal is just being written, the copy has only a part of it. Readers skip that part,
 * because its charge was not acknowledged yet.
 */
export async function backUp(
  store: Store,
  dataFolder: string,
  folder: string,
  progress: (done: number, total: number) => void,
): Promise<void> {
  await store.backup(folder, progress, () => copyJournal(dataFolder, folder))
}

async function copyJournal(dataFolder: string, folder: string): Promise<void> {
  const journal = join(dataFolder, QUOTA_JOURNAL)
  if (!existsSync(journal)) return
  const copy = join(folder, QUOTA_JOURNAL)
  await copyFile(journal, copy)
  const handle = await open(copy, 'r+')
  await handle.sync().finally(() => handle.close())
}

/** Opens a location as the source of a copy, as of now. */
export async function openCopySource(location: StoreLocation, now: number): Promise<CopySource> {
  const since = utcDay(now) - 1
  if ('folder' in location) {
    const { openSqliteSource } = await import('../data/sqlite/copy.ts')
    return openSqliteSource(location.folder, quotaFile(since))
  }
  const { openPostgresSource } = await import('../data/postgres/copy.ts')
  return openPostgresSource(location.database, since)
}

/** Opens a location as the target of a copy of the deployment with this secret. */
export async function openCopyTarget(
  location: StoreLocation,
  secret: Buffer,
  now: number,
): Promise<CopyTarget> {
  const since = utcDay(now) - 1
  if ('folder' in location) {
    const { openSqliteTarget } = await import('../data/sqlite/copy.ts')
    return openSqliteTarget(location.folder, secret, quotaFile(since))
  }
  await checkDatabase(location)
  const { openPostgresTarget } = await import('../data/postgres/copy.ts')
  return openPostgresTarget(location.database, secret, since)
}

/** How a database is spread over the servers of a Citus cluster. Null if it is not. */
export async function databaseLayout(database: string): Promise<Layout | null> {
  const { readLayout } = await import('../data/postgres/distribute.ts')
  return readLayout(database)
}

/** Spreads a database over the servers of its Citus. `laidOut`: the tables that were not yet. */
export async function distributeDatabase(
  location: StoreLocation & { database: string },
  onProgress: (progress: DistributeProgress) => void,
  signal: AbortSignal,
): Promise<{ laidOut: string[]; layout: Layout }> {
  const { distribute } = await import('../data/postgres/distribute.ts')
  await checkDatabase(location)
  const laidOut = await distribute(location.database, onProgress, signal)
  return { laidOut, layout: (await databaseLayout(location.database))! }
}

/** The time that a server on the same database gets to delete and derive. On a data folder no server runs. */
const ERASURE_PATIENCE_MS = 60_000

/** Writes all data again without what was deleted. Rejects with `DataFolderInUse` while a server uses a data folder. */
export async function shrinkStore(
  location: StoreLocation,
  onProgress: OnShrinking,
  signal: AbortSignal,
): Promise<Shrunk> {
  if ('folder' in location) {
    const lock = lockDataFolder(location.folder)
    try {
      const left = await onOpenStore(location, (store) => forgetErased(store, 0, signal))
      return withLeft(left, await shrinkFolder(location.folder, onProgress))
    } finally {
      lock.release()
    }
  }
  const { shrinkDatabase } = await import('../data/postgres/shrink.ts')
  const left = await onOpenStore(location, (store) =>
    forgetErased(store, ERASURE_PATIENCE_MS, signal),
  )
  return withLeft(left, await shrinkDatabase(location.database, onProgress, signal))
}

const withLeft = (left: string[], shrunk: Shrunk): Shrunk => ({
  ...shrunk,
  skipped: [...left, ...shrunk.skipped],
})

async function onOpenStore<T>(
  location: StoreLocation,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(location)
  return work(store).finally(() => store.close())
}

function quotaFile(since: number): QuotaFile {
  return {
    read: (folder) => readJournaledCounts(folder, since),
    write: writeJournaledCounts,
  }
}

/** The adapters of one deployment, open. */
export type Deployment = {
  store: Store
  realtime: Realtime
  /** Null if only one process can serve the deployment. */
  shared: SharedStates | null
  /** For the simulated fleet of test keys. */
  openInMemory: OpenInMemory
  /** Closes the adapters. Another process may then serve the data folder. */
  close(): Promise<void>
}

/** The storage of a deployment: a data folder alone, or a database with Redis. */
export type DeploymentLocation = { folder: string } | SharedLocation

type SharedLocation = {
  database: string
  /** Replicas of the database, for histories only. */
  replicas: string[]
  allowDataLoss: boolean
  redis: string
  /** Whether requests are refused while Redis does not answer. */
  isStrict: boolean
}

/**
 * Asks the servers of a deployment before its processes open it. Returns warnings for the operator, a sentence each.
 * Rejects with `TooFewConnections`, or with `StoreUnavailable` if the database does not answer.
 */
export async function checkDeployment(
  location: DeploymentLocation,
  processes: number,
): Promise<string[]> {
  if ('folder' in location) return []
  const postgres = await import('../data/postgres/connection/server-check.ts')
  return [
    ...(await postgres.checkForServing(location.database, location.replicas, processes)),
    ...(await checkForServing(parseRedisUrl(location.redis)!)),
  ]
}

/** `logger` gets a line when trouble with Redis begins, and another when it ends. */
export async function openDeployment(
  location: DeploymentLocation,
  clock: Clock,
  logger: Logger,
): Promise<Deployment> {
  return 'folder' in location
    ? openFolder(location.folder, clock)
    : openShared(location, clock, logger)
}

const openInMemory: OpenInMemory = async (facts) => ({
  store: await openMemoryStore(facts),
  snapshots: memorySnapshots(),
})

/** Locks a data folder for this process and opens it. Creates a missing one. */
async function openFolder(dataFolder: string, clock: Clock): Promise<Deployment> {
  const lock = lockDataFolder(dataFolder)
  try {
    const store = await openDataFolder(dataFolder, clock.now)
    const realtime = openMemoryRealtime(dataFolder, clock)
    return {
      store,
      realtime,
      shared: null,
      openInMemory,
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

/** Opens the database, and Redis for current data. */
async function openShared(
  { database: url, replicas, allowDataLoss, redis, isStrict }: SharedLocation,
  clock: Clock,
  logger: Logger,
): Promise<Deployment> {
  // Load the drivers only for this kind of deployment.
  const [{ openQuotaCounts, openStatesCounts }, { openRedisRealtime }] = await Promise.all([
    import('../data/postgres/live-counts.ts'),
    import('../data/live/redis/redis-realtime.ts'),
  ])
  await using opened = new AsyncDisposableStack()
  const store = await openStore({ database: url, replicas, allowDataLoss })
  opened.defer(() => store.close())
  const counts = openQuotaCounts(url)
  opened.defer(counts.close)
  const stored = openStatesCounts(url)
  opened.defer(stored.close)
  const realtime = await openRedisRealtime({
    url: redis,
    secret: (await store.secret()).export(),
    isStrict,
    counts,
    clock,
    log(line, level) {
      if (level === 'error') logger.error({}, line)
      else logger.line(`"msg":${JSON.stringify(line)}`)
    },
  })
  // Close the quota first: it writes its last counts to the database.
  opened.defer(realtime.close)
  const all = opened.move()
  return {
    store,
    realtime,
    shared: {
      stored: stored.read,
      shared: realtime.changes,
      losses: realtime.losses,
      outdate: realtime.snapshots.outdate,
    },
    openInMemory,
    close: () => all.disposeAsync(),
  }
}

/** The source of addresses: the places that ship with the server, none, or a geocoding server. */
export type GeocoderSource = 'offline' | 'off' | URL

export type GeocoderSettings = {
  source: GeocoderSource
  /** The settings of a geocoding server: its rate, and how requests name their sender. */
  requestsPerSecond: number
  userAgent: string
}

/** `report` is called with the reason when no addresses can be found. */
export function openGeocoder(
  { source, requestsPerSecond, userAgent }: GeocoderSettings,
  clock: Clock,
  report: (failure: string) => void,
): Geocoder | null {
  if (source === 'off') return null
  const offline = openOfflineGeocoder(clock, report)
  if (source === 'offline') return offline
  return openNominatimGeocoder(
    { url: source, userAgent, requestsPerSecond, clock, wait: systemWait, report },
    offline,
  )
}
