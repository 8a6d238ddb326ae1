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
