/**
 * The port to all data of a deployment as rows: `copy` moves them from one store to another. Rows travel
 * as blocks of whole tuples (`tuples.ts`), so that a row is the same bytes on every side and can be
 * compared by checksum.
 */

/** Names as in PostgreSQL. SQLite's columns follow them. */
export type ColumnType = 'int8' | 'int4' | 'float8' | 'bool' | 'text' | 'bytea'

/** A table, or a query that stands for it in a store with another layout. */
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

/** The small tables of an organization, ordered so that each row comes after the rows it refers to. */
export const BOOKS: readonly CopiedTable[] = [
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
      retention_days: 'int4',
      ...TIMES,
    },
    owner: 'id',
    key: ['id'],
  },
  table('api_keys', KEYS, 'id'),
  table('feed_tokens', KEYS, 'id'),
  /** The newest change of every topic except the states. */
  table('changes', { organization: 'int8', topic: 'text', sequence: 'int8' }, 'topic'),
  /** The newest change of the objects, and of the states; 0 if there was none. */
  table('sequences', { organization: 'int8', objects: 'int8', states: 'int8' }),
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
    { ...ITEM, description: 'text', color: 'text', coordinates: 'text', ...TIMES },
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
    { organization: 'int8', day: 'int4', object: 'int8', count: 'int4' },
    'day',
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
]

/** The operator's data, and the audit log of all organizations, including deleted ones. */
export const DEPLOYMENT_BOOKS: readonly CopiedTable[] = [
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
export function booksOf(organization: number | null): readonly CopiedTable[] {
  return organization === null ? DEPLOYMENT_BOOKS : BOOKS
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
export const COUNTED = [
  'organizations',
  'api_keys',
  'feed_tokens',
  'objects',
  'geofences',
  'routes',
  'sites',
  'operator_credentials',
  'audit_log',
] as const

/** The data of the whole deployment. */
export type Facts = {
  /** The secret that seals cursors and entity tags. A copy of the same deployment has the same secret. */
  secret: Buffer
  /** The newest change of all. */
  sequence: number
  /** The last id generated, by table. */
  lastIds: Record<(typeof COUNTED)[number], number>
}

/** Some objects of an organization, ascending, and a half-open range of time of their positions. */
export type Part = {
  organization: number
  objects: readonly number[]
  from: number
  to: number
}

/** How long a copy waits for the lock of an earlier copy, which may have been killed a moment ago. */
export const EARLIER_COPY_MS = 5_000

/** The source of a copy, as of one moment. In an outage calls reject with `StoreUnavailable`. */
export type CopySource = {
  facts(): Promise<Facts>
  /** The ids of the organizations, ascending. */
  organizations(): Promise<number[]>
  objects(organization: number): Promise<number[]>
  /** The number of positions of its objects, by the Monday of their week (`week.ts`). */
  weeks(organization: number): Promise<Map<number, number>>
  /** The rows of one of `booksOf(organization)`. */
  rows(table: CopiedTable, organization: number | null): AsyncIterable<Buffer>
  /** Positions by object and time. */
  positions(part: Part): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** The target of a copy, which no other program writes to. Written rows survive `kill -9`. */
export type CopyTarget = CopySource & {
  /** Prepares for positions of these weeks. */
  expect(weeks: ReadonlyMap<number, number>): Promise<void>
  /** Replaces all `booksOf(organization)` by these rows, all or nothing. Positions stay. */
  replace(
    organization: number | null,
    rows: (table: CopiedTable) => AsyncIterable<Buffer>,
  ): Promise<void>
  removePositions(part: Part): Promise<void>
  addPositions(blocks: AsyncIterable<Buffer>): Promise<void>
  /** Removes an organization with all its rows except positions. */
  remove(organization: number): Promise<void>
  settle(facts: Facts): Promise<void>
  /** Marks the copy as complete. Programs may use it from now on. */
  finish(): Promise<void>
}

/** The target cannot be used. The message says why, and what to do. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}
