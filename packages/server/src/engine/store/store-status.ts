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
  /** Organizations whose records are derived. */
  organizationsWithRecords: number
  /** Those of them with changes or tasks that are not derived. */
  organizationsBehind: number
  /** Objects and places whose records cannot be derived. */
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

/** The derivation of an object or of the visits to a place that failed. */
export type RecordFailure = {
  organization: number
  kind: string
  id: number
  failedAt: number
  error: string
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

/** Bytes of a store before and after it was written again without what was deleted. */
export type Shrunk = {
  before: number
  after: number
  /**
   * Whether its write-ahead log has nothing of what was deleted. `kept`: somebody else still needs old parts of it.
   * `not_allowed`: the role may not do it.
   */
  log: 'cleared' | 'kept' | 'not_allowed'
  /** Parts that could not be written again, and deleted data that may be left, a sentence each. */
  skipped: string[]
}

/** The part that is being written, and the bytes before it, of all. Or what is waited for. */
export type OnShrinking = (
  progress: { part: string; done: number; total: number } | { waitsFor: string },
) => void
