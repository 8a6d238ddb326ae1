/**
 * The port through which `copy` reads and writes all data of a deployment. Rows travel as blocks of whole
 * tuples (`tuples.ts`): a row has the same bytes in every store, so checksums can compare them.
 */

/** Names as in PostgreSQL. SQLite's columns follow them. */
export type ColumnType = 'int8' | 'int4' | 'float8' | 'bool' | 'text' | 'bytea'

/** A table. A store with another layout has a query instead. */
export type CopiedTable = {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  /** The column of the organization. Null if the rows belong to the deployment. */
  owner: string | null
  /** The columns by which the rows of one organization are ordered. */
  key: readonly string[]
}

const ITEM = { organization: 'int8', id: 'int8', name: 'text' } as const
const TIMES = { created_at: 'int8', updated_at: 'int8' } as const
const OF_OBJECT = { organization: 'int8', object: 'int8' } as const

const KEYS = {
  ...ITEM,
  hash: 'text',
  prefix: 'text',
  last_four: 'text',
  created_at: 'int8',
  expires_at: 'int8',
  revoked_at: 'int8',
  last_used_at: 'int8',
} as const

const LOGGED_CHANGES: CopiedTable = table(
  'change_log',
  { organization: 'int8', seq: 'int8', at: 'int8', entries: 'bytea' },
  'seq',
)

const RECORDS: CopiedTable = table(
  'records',
  {
    organization: 'int8',
    kind: 'int4',
    object: 'int8',
    start_time: 'int8',
    place: 'int8',
    id: 'int8',
    revision: 'int8',
    updated_at: 'int8',
    end_time: 'int8',
    duration: 'int8',
    fields: 'bytea',
    checkpoint: 'bytea',
  },
  'kind',
  'object',
  'start_time',
  'place',
)

/** Unlike the other tables of an organization, these grow with the positions. */
export const LARGE_TABLES: readonly CopiedTable[] = [LOGGED_CHANGES, RECORDS]

/** The tables of an organization except its positions. Each table comes after the tables to which its rows refer. */
export const ORGANIZATION_TABLES: readonly CopiedTable[] = [
  {
    name: 'organizations',
    columns: {
      id: 'int8',
      name: 'text',
      distance_unit: 'text',
      language: 'text',
      subscription: 'text',
      daily_quota: 'int8',
      create_objects: 'bool',
      max_objects: 'int4',
      max_places: 'int4',
      max_vertices: 'int4',
      retention_days: 'int4',
      signal_timeout_hours: 'int4',
      time_zone: 'text',
      ...TIMES,
    },
    owner: 'id',
    key: ['id'],
  },
  table('api_keys', { ...KEYS, scope: 'text', scenario: 'text' }, 'id'),
  table('feed_tokens', KEYS, 'id'),
  /** The newest change of every topic except the states. */
  table('changes', { organization: 'int8', topic: 'text', sequence: 'int8' }, 'topic'),
  /** The newest change of the objects, of the states, and of the log; 0 if there was none. */
  table('sequences', { organization: 'int8', objects: 'int8', states: 'int8', logged: 'int8' }),
  LOGGED_CHANGES,
  /** The ids in use. */
  table('ids', { kind: 'text', id: 'int8', organization: 'int8' }, 'kind', 'id'),
  table(
    'objects',
    {
      ...ITEM,
      ident: 'text',
      vin: 'text',
      plate_number: 'text',
      engine_hours_type: 'text',
      odometer_type: 'text',
      odometer_offset: 'float8',
      accuracy: 'text',
      engine_hours: 'float8',
      odometer: 'float8',
      mileage: 'float8',
      address: 'text',
      ...TIMES,
    },
    'id',
  ),
  table(
    'object_states',
    {
      ...OF_OBJECT,
      last_fix: 'bytea',
      numbers: 'bytea',
      address: 'text',
      address_at: 'int8',
    },
    'object',
  ),
  table(
    'counter_shifts',
    { ...OF_OBJECT, from_time: 'int8', odometer: 'int8', engine_hours: 'int8' },
    'object',
    'from_time',
  ),
  table('object_rejects', { ...OF_OBJECT, rejects: 'text' }, 'object'),
  table(
    'reject_counts',
    { ...OF_OBJECT, day: 'int8', reason: 'text', packets: 'int8' },
    'object',
    'day',
    'reason',
  ),
  table(
    'refused_idents',
    {
      organization: 'int8',
      ident: 'text',
      reason: 'text',
      packets: 'int8',
      last_at: 'int8',
      latitude: 'float8',
      longitude: 'float8',
    },
    'ident',
  ),
  table('refolds', { ...OF_OBJECT, from_time: 'int8' }, 'object'),
  table(
    'geofences',
    {
      ...ITEM,
      description: 'text',
      color: 'text',
      coordinates: 'text',
      vertices: 'int4',
      ...TIMES,
    },
    'id',
  ),
  table(
    'routes',
    {
      ...ITEM,
      description: 'text',
      color: 'text',
      deviation: 'float8',
      points: 'text',
      coordinates: 'text',
      vertices: 'int4',
      ...TIMES,
    },
    'id',
  ),
  table(
    'sites',
    {
      ...ITEM,
      description: 'text',
      icon: 'text',
      latitude: 'float8',
      longitude: 'float8',
      radius: 'float8',
      ...TIMES,
    },
    'id',
  ),
  /** Counts of yesterday and today. */
  table(
    'quota_counts',
    { organization: 'int8', day: 'int4', object: 'int8', hundredths: 'int8' },
    'day',
    'object',
  ),
  table(
    'disclosures',
    {
      organization: 'int8',
      day: 'int4',
      key: 'int8',
      object: 'int8',
      requests: 'int8',
      rows: 'int8',
    },
    'day',
    'key',
    'object',
  ),
  table(
    'usage',
    {
      organization: 'int8',
      day: 'int4',
      key: 'int8',
      operation: 'text',
      status: 'int4',
      requests: 'int8',
    },
    'day',
    'key',
    'operation',
    'status',
  ),
  table(
    'webhooks',
    {
      organization: 'int8',
      id: 'int8',
      url: 'text',
      types: 'text',
      ids: 'text',
      starts_from: 'text',
      secret: 'bytea',
      old_secret: 'bytea',
      old_secret_until: 'int8',
      off_at: 'int8',
      off_reason: 'text',
      restarts: 'bool',
      ...TIMES,
    },
    'id',
  ),
  table(
    'webhook_deliveries',
    {
      organization: 'int8',
      webhook: 'int8',
      number: 'int8',
      kind: 'text',
      message: 'text',
      created_at: 'int8',
      cursor: 'text',
      entries: 'int4',
      body: 'bytea',
      tries: 'int4',
      tried_at: 'int8',
      status: 'int4',
      failure: 'text',
      duration_ms: 'int8',
      delivered_at: 'int8',
      failing_since: 'int8',
      next_try_at: 'int8',
      is_wanted: 'bool',
    },
    'webhook',
    'number',
  ),
  RECORDS,
  table(
    'record_progress',
    { organization: 'int8', seq: 'int8', at: 'int8', last_id: 'int8' },
    'organization',
  ),
  table('record_tails', { ...OF_OBJECT, progress: 'bytea', longest_visit: 'int8' }, 'object'),
  table(
    'record_tasks',
    {
      organization: 'int8',
      kind: 'text',
      id: 'int8',
      after: 'int8',
      failed_at: 'int8',
      error: 'text',
    },
    'kind',
    'id',
  ),
]

/** The operator's data, and the audit log of all organizations, including deleted ones. */
export const DEPLOYMENT_TABLES: readonly CopiedTable[] = [
  { name: 'operator_password', columns: { id: 'int4', hash: 'text' }, owner: null, key: ['id'] },
  {
    name: 'operator_credentials',
    columns: {
      id: 'int8',
      kind: 'text',
      name: 'text',
      hash: 'text',
      prefix: 'text',
      last_four: 'text',
      created_at: 'int8',
      expires_at: 'int8',
      last_used_at: 'int8',
      password: 'text',
      scope: 'text',
      organization: 'int8',
      issuer: 'int8',
    },
    owner: null,
    key: ['id'],
  },
  {
    name: 'sign_in_attempts',
    columns: { origin: 'text', failures: 'int8', at: 'int8', signed_in_at: 'int8' },
    owner: null,
    key: ['origin'],
  },
  {
    name: 'audit_log',
    columns: {
      id: 'int8',
      at: 'int8',
      actor: 'text',
      action: 'text',
      organization: 'int8',
      target: 'int8',
      name: 'text',
      changes: 'text',
    },
    owner: null,
    key: ['id'],
  },
]

/** The tables of an organization. Null: of the deployment. */
export function copiedTablesOf(organization: number | null): readonly CopiedTable[] {
  return organization === null ? DEPLOYMENT_TABLES : ORGANIZATION_TABLES
}

export const POSITIONS = table(
  'positions',
  {
    ...OF_OBJECT,
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

/** The tables that generate ids. */
export const TABLES_WITH_IDS = [
  'organizations',
  'api_keys',
  'feed_tokens',
  'objects',
  'geofences',
  'routes',
  'sites',
  'webhooks',
  'operator_credentials',
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
  /** The number of positions of its objects, by the Monday of their week (`week.ts`). */
  weeks(organization: number): Promise<Map<number, number>>
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
