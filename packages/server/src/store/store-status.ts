import { utcDay } from '../domain/time/time.ts'
import { PACK_AFTER_MS } from './position-store.ts'
import { IS_CLOCK_REJECT } from './table.ts'

/** The state of a store, read without changing it: a server of another version may use it. */
export type StoreStatus = {
  /** The name and version of the engine: `SQLite 3.53.4`. */
  engine: string
  /** The data version of the store. 0: it is empty. */
  version: number
  /** The data version that this program brings a store to. */
  knownVersion: number
  /** Programs that know this data version or a newer one can use the store. */
  usableFrom: number
  /** The parts of the store, the largest first. */
  sizes: readonly { readonly name: string; readonly bytes: number }[]
  /** Null if the store has another data version. */
  contents: StoreContents | null
  /** The first failures of the derivation of records. */
  failures: readonly RecordFailure[]
  /** The reasons why the store is not healthy, a sentence each. */
  problems: readonly string[]
  /** Whether a server uses the data folder. Null for a database. */
  isServed: boolean | null
}

/** The counts of a store, and of the work that its background tasks have not done yet. */
export type StoreContents = {
  organizations: number
  objects: number
  /** Positions in blocks, and the bytes of these. */
  packedPositions: number
  packedBytes: number
  /** Positions older than two days that are not packed, up to `MAX_UNPACKED`, and the bytes of their fixes and fold states. */
  unpackedPositions: number
  unpackedBytes: number
  /** Objects whose positions wait to be folded again. */
  objectsToRecompute: number
  /** Objects with packets that were refused for their time, today or yesterday (UTC). */
  objectsWithWrongClocks: number
  /** Organizations whose trips, stops and visits are derived. */
  organizationsWithRecords: number
  /** Those of them with changes or tasks that are not derived. */
  organizationsBehind: number
  /** Objects and places whose trips, stops and visits cannot be derived. */
  recordFailures: number
  /** The time of the oldest change that is not derived, in milliseconds since the epoch. */
  behindSince: number | null
  webhooks: number
  webhooksOff: number
  /** Deliveries that failed and are tried again. */
  deliveriesFailing: number
}

/** More rows are not counted, so that the status of a large store that never packed takes seconds. */
export const MAX_UNPACKED = 1_000_000

/** Selects `StoreContents` as of a moment. All stores have these tables. */
export const contentsAt = (now: number) => `
  WITH unpacked AS (
    SELECT length(fix) + length(track) AS bytes FROM objects
    JOIN positions ON positions.organization = objects.organization AND positions.object = objects.id
      AND time_device < ${now - PACK_AFTER_MS}
    LIMIT ${MAX_UNPACKED}
  )
  SELECT
    (SELECT count(*) FROM organizations) AS "organizations",
    (SELECT count(*) FROM objects) AS "objects",
    (SELECT coalesce(sum(rows), 0) FROM position_blocks) AS "packedPositions",
    (SELECT coalesce(sum(length(block)), 0) FROM position_blocks) AS "packedBytes",
    (SELECT count(*) FROM unpacked) AS "unpackedPositions",
    (SELECT coalesce(sum(bytes), 0) FROM unpacked) AS "unpackedBytes",
    (SELECT count(*) FROM refolds) AS "objectsToRecompute",
    (SELECT count(*) FROM (
      SELECT DISTINCT organization, object FROM reject_counts
      WHERE day >= ${utcDay(now) - 1} AND ${IS_CLOCK_REJECT}
    ) AS wrong) AS "objectsWithWrongClocks",
    (SELECT count(*) FROM (
      SELECT organization FROM record_progress UNION SELECT organization FROM record_tasks
    ) AS wanted) AS "organizationsWithRecords",
    (SELECT count(*) FROM (
      SELECT record_progress.organization FROM record_progress
      JOIN change_log ON change_log.organization = record_progress.organization
        AND change_log.seq = record_progress.seq + 1
      UNION SELECT organization FROM record_tasks WHERE failed_at IS NULL
    ) AS behind) AS "organizationsBehind",
    (SELECT count(*) FROM record_tasks WHERE failed_at IS NOT NULL) AS "recordFailures",
    (SELECT min(change_log.at) FROM record_progress
      JOIN change_log ON change_log.organization = record_progress.organization
        AND change_log.seq = record_progress.seq + 1) AS "behindSince",
    (SELECT count(*) FROM webhooks) AS "webhooks",
    (SELECT count(*) FROM webhooks WHERE off_at IS NOT NULL) AS "webhooksOff",
    (SELECT count(*) FROM webhook_deliveries
      WHERE failing_since IS NOT NULL AND delivered_at IS NULL) AS "deliveriesFailing"`

/** The derivation of an object or of the visits to a place that failed. */
export type RecordFailure = {
  organization: number
  kind: string
  id: number
  failedAt: number
  error: string
}

/** Selects the first `RecordFailure`s. */
export const FAILURES = `
  SELECT organization, kind, id, failed_at AS "failedAt", error FROM record_tasks
  WHERE failed_at IS NOT NULL ORDER BY organization, kind, id LIMIT 20`

/** Parts of a store, the largest first. */
export function bySize<Part extends { bytes: number }>(parts: readonly Part[]): Part[] {
  return parts.toSorted((a, b) => b.bytes - a.bytes)
}

/** How Citus keeps a table: whole on each server, on the coordinator alone, or distributed by organization. */
export type Placement = 'reference' | 'coordinator' | 'distributed'

export type PlacedTable = { name: string; placement: Placement }

/** A server of Citus. `hasShards`: whether it may hold rows of distributed tables. */
export type CitusNode = {
  /** `host:port`, as the coordinator calls it. */
  name: string
  isCoordinator: boolean
  isActive: boolean
  hasShards: boolean
  /** Parts of distributed tables, and their bytes with indexes. Null if the server does not answer. */
  shards: number | null
  bytes: number | null
}

/** How a database is spread over the servers of its Citus. */
export type Layout = {
  /** Version of Citus. */
  citus: string
  nodes: CitusNode[]
  tables: PlacedTable[]
  /** Tables that `fleetgate distribute` has not laid out yet. */
  missing: string[]
}

/** `done` tables of `total` are laid out, and `table` is next. */
export type DistributeProgress = { table: string; done: number; total: number }
