/**
 * The port to all that a deployment keeps, as rows: what `copy` moves from one store to another. Rows
 * travel as blocks of whole tuples (`tuples.ts`), so that what a row amounts to is the same bytes on
 * every side and can be compared by its checksum.
 */

/** By the names of PostgreSQL, which SQLite's columns have no trouble to follow. */
export type ColumnType = 'int8' | 'int4' | 'float8' | 'bool' | 'text' | 'bytea'

/** A table, or what stands for it on a side that keeps it in another way. */
export type CopiedTable = {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  /** The column that says which organization's the rows are; null where they are the deployment's. */
  owner: string | null
  /** What the rows of one of them are in the order of. */
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

/** All that is small of an organization, in an order in which each row finds those that it refers to. */
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
  /** The newest change of every topic but the states. */
  table('changes', { organization: 'int8', topic: 'text', sequence: 'int8' }, 'topic'),
  /** The newest change of the objects, and of the states; 0 where there was none. */
  table('sequences', { organization: 'int8', objects: 'int8', states: 'int8' }),
  /** The ids of what stands, which are taken. */
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
  /** Of yesterday and today, as far as they count anything. */
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

/** What is the operator's, and what was noted of all organizations, also of those that are gone. */
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

/** Of an organization; null: of the deployment. */
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

/** What gives its rows ids by itself. */
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

/** What is the whole deployment's. */
export type Facts = {
  /** What its cursors and entity tags are sealed with: by it a copy is known to be of this deployment. */
  secret: Buffer
  /** The newest change of all. */
  sequence: number
  /** By table, the last id that was given. */
  lastIds: Record<(typeof COUNTED)[number], number>
}

/** Some objects of an organization, in ascending order, and of their positions a half-open range of time. */
export type Part = {
  organization: number
  objects: readonly number[]
  from: number
  to: number
}

/** How long a copy waits for the lock of an earlier one, which may have been killed a moment ago. */
export const EARLIER_COPY_MS = 5_000

/** One side, as it stood at one moment. Whatever meets an outage rejects with `StoreUnavailable`. */
export type CopySource = {
  facts(): Promise<Facts>
  /** Their ids, ascending. */
  organizations(): Promise<number[]>
  objects(organization: number): Promise<number[]>
  /** How many positions its objects have, by the Monday of their week (`week.ts`). */
  weeks(organization: number): Promise<Map<number, number>>
  /** Of one of `booksOf(organization)`. */
  rows(table: CopiedTable, organization: number | null): AsyncIterable<Buffer>
  /** By object and time. */
  positions(part: Part): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** The other side, which nobody else writes to. What is written lasts, whenever the process is killed. */
export type CopyTarget = CopySource & {
  /** Makes ready for positions of these weeks. */
  expect(weeks: ReadonlyMap<number, number>): Promise<void>
  /**
   * Puts these rows in the place of all `booksOf(organization)`; all or nothing. Positions stay as they
   * are.
   */
  replace(
    organization: number | null,
    rows: (table: CopiedTable) => AsyncIterable<Buffer>,
  ): Promise<void>
  removePositions(part: Part): Promise<void>
  addPositions(blocks: AsyncIterable<Buffer>): Promise<void>
  /** Removes an organization and all that it has but its positions. */
  remove(organization: number): Promise<void>
  settle(facts: Facts): Promise<void>
  /** The copy is whole: from now on it may be served. */
  finish(): Promise<void>
}

/** The target is no place to copy to; the message says why, and what to do. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}
