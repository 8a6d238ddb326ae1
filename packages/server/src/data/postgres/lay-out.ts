import type pg from 'pg'
import { LIST_TOPICS } from '../../base/domain/item-rules.ts'
import type { PlacedTable, Placement } from '../../engine/store/store-status.ts'

/** Citus has these tables whole on each server, because distributed tables refer to them (`create_reference_table`). */
export const REFERENCE_TABLES = ['organizations'] as const

/**
 * The coordinator alone has these tables, so that writes to them continue while a worker is down. Citus knows them
 * (`citus_add_local_table_to_metadata`): a transaction that writes to one of them and to a worker is committed on
 * both servers or on none.
 */
export const COORDINATOR_TABLES = [
  'disclosees',
  'api_keys',
  'feed_tokens',
  'links',
  'ident_owners',
  'waiting_idents',
  'changes',
  'ids',
  'purges',
  'webhooks',
  'webhook_leases',
  'record_leases',
  'audit_log',
] as const

/** These stay as they are on the coordinator: no transaction writes to one of them and to a worker. */
export const UNTOUCHED_TABLES = [
  'deployment',
  'change_epoch',
  'access_settings',
  'accounts',
  'account_identities',
  'account_roles',
  'access_credentials',
  'sign_in_attempts',
  'deployment_tokens',
  'routing_rules',
] as const

/** These are distributed by their column `organization` (`create_distributed_table`), which every statement names. */
export const DISTRIBUTED_TABLES = [
  'sequences',
  'objects',
  'object_states',
  'positions',
  'position_blocks',
  'block_counts',
  'counter_shifts',
  'tracker_moves',
  'change_log',
  'erasures',
  'object_rejects',
  ...LIST_TOPICS,
  'quota_counts',
  'usage',
  'disclosures',
  'new_objects',
  'refused_idents',
  'saved_mappings',
  'attributes',
  'attribute_names',
  'refolds',
  'webhook_deliveries',
  'records',
  'record_progress',
  'record_tails',
  'record_tasks',
  'coverage_states',
  'coverage_days',
  'reject_counts',
] as const

/** Without the partitions of positions. */
export const ALL_TABLES: readonly string[] = [
  ...REFERENCE_TABLES,
  ...COORDINATOR_TABLES,
  ...UNTOUCHED_TABLES,
  ...DISTRIBUTED_TABLES,
]

/** In the order in which they are laid out: a table after those that it refers to. */
const TABLES: readonly PlacedTable[] = [
  ...REFERENCE_TABLES.map((name) => ({ name, placement: 'reference' }) as const),
  ...COORDINATOR_TABLES.map((name) => ({ name, placement: 'coordinator' }) as const),
  ...DISTRIBUTED_TABLES.map((name) => ({ name, placement: 'distributed' }) as const),
]

/** An organization has all its rows of distributed tables on one server: the one with its row of this table. */
const [FIRST] = DISTRIBUTED_TABLES

/** Each statement is a transaction of its own, or a part of the caller's transaction. */
const LAY_OUT: Record<Placement, (name: string) => string> = {
  reference: (name) => `SELECT create_reference_table('${name}')`,
  // Citus gives the table a new sequence of ids, which would begin at 1.
  coordinator: (name) => `
    LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE;
    SELECT set_config('fleetgate.last_id', (
      SELECT last_value::text FROM pg_sequences
      WHERE schemaname = current_schema AND sequencename = '${name}_id_seq'
    ), true);
    SELECT citus_add_local_table_to_metadata('${name}');
    SELECT setval(to_regclass('${name}_id_seq'), nullif(current_setting('fleetgate.last_id'), '')::int8)`,
  distributed: (name) =>
    name === FIRST
      ? `SELECT create_distributed_table('${name}', 'organization')`
      : `SELECT create_distributed_table('${name}', 'organization', colocate_with => '${FIRST}')`,
}

/** `partmethod` of pg_dist_partition: `h` is distributed by hash. A table of the coordinator has no copy on a worker. */
const LAID_OUT = `
  SELECT relname AS name, CASE
    WHEN partmethod = 'h' THEN 'distributed'
    WHEN repmodel = 't' THEN 'reference'
    ELSE 'coordinator'
  END AS placement
  FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid::oid
  WHERE relname = ANY($1) AND relnamespace = current_schema::regnamespace AND NOT autoconverted`

const EXISTING = `
  SELECT name FROM unnest($1::text[]) AS wanted (name) WHERE to_regclass(name) IS NOT NULL`

export async function hasCitus(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)
  return rows.length > 0
}

/** Whether `distribute` has begun in a database. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  return (await hasCitus(client)) && (await laidOut(client)).length > 0
}

/** The tables that are laid out as they should be. */
export async function laidOut(client: pg.ClientBase): Promise<PlacedTable[]> {
  const names = TABLES.map(({ name }) => name)
  const { rows } = await client.query<PlacedTable>(LAID_OUT, [names])
  const placements = new Map(rows.map(({ name, placement }) => [name, placement]))
  return TABLES.filter(({ name, placement }) => placements.get(name) === placement)
}

/** The tables of this database that are not laid out, in the order in which they have to be. */
export async function notLaidOut(client: pg.ClientBase): Promise<PlacedTable[]> {
  const done = new Set((await laidOut(client)).map(({ name }) => name))
  const names = TABLES.map(({ name }) => name).filter((name) => !done.has(name))
  const { rows } = await client.query<{ name: string }>(EXISTING, [names])
  const existing = new Set(rows.map(({ name }) => name))
  return TABLES.filter(({ name }) => existing.has(name))
}

export async function layOut(
  client: pg.ClientBase,
  { name, placement }: PlacedTable,
): Promise<void> {
  await client.query(LAY_OUT[placement](name))
}

/**
 * Call it first in a transaction that changes tables. Citus otherwise uses several connections to a server,
 * and the second does not see what the first has changed.
 */
export async function oneConnectionToEach(client: pg.ClientBase): Promise<void> {
  await client.query(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`)
}
