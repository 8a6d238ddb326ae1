import { ITEM_TOPICS, LIST_TOPICS } from '../../base/domain/item-rules.ts'
import { TABLES } from '../tables/shared-tables.ts'
import { type ColumnType, partsOf } from '../tables/table.ts'

/**
 * The port through which `copy` reads and writes all data of a deployment. Rows travel as blocks of whole
 * tuples (`tuples.ts`): a row has the same bytes in every store, so checksums can compare them.
 */

/** A table. A store with another layout has a query instead. */
export type CopiedTable = {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  /** The column of the organization. Null if the rows belong to the deployment. */
  owner: string | null
  /** The columns by which the rows of one organization are ordered. */
  key: readonly string[]
}

const [CHANGE_LOG, RECORDS, COVERAGE_DAYS] = [
  asStored('change_log'),
  asStored('records'),
  asStored('coverage_days'),
]

/** Unlike the other tables of an organization, these grow with the positions. */
export const LARGE_TABLES: readonly CopiedTable[] = [CHANGE_LOG, RECORDS, COVERAGE_DAYS]

/** The tables of an organization except its positions. Each table comes after the tables to which its rows refer. */
export const ORGANIZATION_TABLES: readonly CopiedTable[] = [
  { ...asStored('organizations'), owner: 'id' },
  ...['disclosees', 'api_keys', 'feed_tokens', 'links'].map(asStored),
  /** In a copy no owner is the first: an ident may have gone from one organization to another since an earlier copy. */
  table('ident_owners', { ident: 'text', organization: 'int8' }, 'ident'),
  /** The newest change of every topic except the states. */
  table('changes', { organization: 'int8', topic: 'text', sequence: 'int8' }, 'topic'),
  /** The newest change of the objects, of the states, and of the log; 0 if there was none. */
  table('sequences', { organization: 'int8', objects: 'int8', states: 'int8', logged: 'int8' }),
  ...[CHANGE_LOG, RECORDS],
  /** The ids in use. */
  table('ids', { kind: 'text', id: 'int8', organization: 'int8' }, 'kind', 'id'),
  ...['objects', 'erasures', 'object_states', 'counter_shifts'].map(asStored),
  ...['object_rejects', 'reject_counts'].map(asStored),
  ...['refused_idents', 'saved_mappings', 'attributes', 'attribute_names', 'refolds'].map(asStored),
  ...[asStored('tracker_moves'), asStored('coverage_states'), COVERAGE_DAYS],
  ...LIST_TOPICS.map(asStored),
  /** Counts of yesterday and today. */
  table(
    'quota_counts',
    { organization: 'int8', day: 'int4', object: 'int8', hundredths: 'int8' },
    'day',
    'object',
  ),
  ...['disclosures', 'usage', 'webhooks', 'webhook_deliveries'].map(asStored),
  ...['record_progress', 'record_tails', 'record_tasks'].map(asStored),
]

/** People and their ways in, routing, and the audit log of all organizations, including deleted ones. */
export const DEPLOYMENT_TABLES: readonly CopiedTable[] = [
  ...['access_settings', 'accounts', 'account_identities', 'account_roles', 'access_credentials'],
  ...['sign_in_attempts', 'audit_log', 'deployment_tokens', 'routing_rules', 'waiting_idents'],
].map((name) => ({ ...asStored(name), owner: null, key: keyOf(name) }))

/** The tables of an organization. Null: of the deployment. */
export function copiedTablesOf(organization: number | null): readonly CopiedTable[] {
  return organization === null ? DEPLOYMENT_TABLES : ORGANIZATION_TABLES
}

export const POSITIONS = table(
  'positions',
  {
    organization: 'int8',
    object: 'int8',
    time_device: 'int8',
    change: 'int8',
    hidden: 'int8',
    fix: 'bytea',
    track: 'bytea',
  },
  'object',
  'time_device',
)

function table(
  name: string,
  columns: CopiedTable['columns'],
  ...key: readonly string[]
): CopiedTable {
  return { name, columns, owner: 'organization', key }
}

function keyOf(name: string): readonly string[] {
  return TABLES.find((each) => each.name === name)!.key
}

/** A table of both stores. The rows of one organization are in the order of the rest of its key. */
function asStored(name: string): CopiedTable {
  const { columns, key } = TABLES.find((each) => each.name === name)!
  const types = Object.entries(columns).map(([column, kind]) => [column, partsOf(kind).type])
  const rest = key.filter((column) => column !== 'organization')
  return table(name, Object.fromEntries(types), ...(rest.length > 0 ? rest : key))
}

/** The tables that generate ids. */
export const TABLES_WITH_IDS = [
  'organizations',
  'disclosees',
  'api_keys',
  'feed_tokens',
  'links',
  ...ITEM_TOPICS,
  'webhooks',
  'accounts',
  'access_credentials',
  'deployment_tokens',
  'routing_rules',
  'audit_log',
] as const

/** The data of the whole deployment. */
export type CopySourceFacts = {
  /** The secret that seals cursors and entity tags. A copy of the same deployment has the same secret. */
  secret: Buffer
  /** The newest change of all. */
  sequence: number
  /** The epoch of the numbers in the change log. */
  epoch: string
  /** The last id generated, by table. */
  lastIds: Record<(typeof TABLES_WITH_IDS)[number], number>
}

/** Some objects of an organization, ascending, and a half-open range of time of their positions. */
export type Part = {
  organization: number
  objects: readonly number[]
  from: number
  to: number
}

/** A copy waits this long for the lock of an earlier copy, which may just have been killed. */
export const EARLIER_COPY_MS = 5_000

/** The source of a copy, as of one moment. In an outage calls reject with `StoreUnavailable`. */
export type CopySource = {
  facts(): Promise<CopySourceFacts>
  /** The ids of the organizations, ascending. */
  organizations(): Promise<number[]>
  objects(organization: number): Promise<number[]>
  /** The number of positions of these objects of it, by the Monday of their week (`position-store.ts`). */
  weeks(organization: number, objects: readonly number[]): Promise<Map<number, number>>
  /** The rows of one of `copiedTablesOf(organization)`. */
  rows(table: CopiedTable, organization: number | null): AsyncIterable<Buffer>
  /** Positions by object and time. */
  positions(part: Part): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** The target of a copy, which no other program writes to. Written rows survive `kill -9`. */
export type CopyTarget = CopySource & {
  /** Prepares for positions of these weeks. */
  expect(weeks: ReadonlyMap<number, number>): Promise<void>
  /**
   * Replaces all `copiedTablesOf(organization)` by these rows, all or nothing. Only the large tables may be incomplete if the
   * copy ends early. Positions stay.
   */
  replace(
    organization: number | null,
    rows: (table: CopiedTable) => AsyncIterable<Buffer>,
  ): Promise<void>
  removePositions(part: Part): Promise<void>
  addPositions(blocks: AsyncIterable<Buffer>): Promise<void>
  /** Removes an organization with all its rows except positions. */
  remove(organization: number): Promise<void>
  settle(facts: CopySourceFacts): Promise<void>
  /** Marks the copy as complete. Programs may use it from now on. */
  finish(): Promise<void>
}

/** The target cannot be used. The message says why, and what to do. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}
