import { ITEM_RULES, LIST_TOPICS } from '../domain/items.ts'
import { OBJECT_RULES } from '../domain/monitored-object.ts'
import { ORGANIZATION_RULES } from '../domain/organization.ts'
import { documentedName, type Rule } from '../domain/settings/rule.ts'
import { CLOCK_FAULTS } from '../tracking/rules/judge-clock.ts'
import { KINDS } from './kinds.ts'

/**
 * The tables that both stores keep alike, each stated once. From here come the statements that create them and the
 * columns of a copy. Times are milliseconds since the epoch. Tables that a store lays out its own way are in its own
 * `schema.ts`: positions, and the numbers of changes and ids.
 */

/** Names as in PostgreSQL. SQLite's columns follow them. */
export type ColumnType = 'int8' | 'int4' | 'float8' | 'bool' | 'text' | 'bytea'
/** With a question mark the column may be NULL. */
export type Column = ColumnType | `${ColumnType}?`

/** The condition of a count of packets that were refused for their time. */
export const IS_CLOCK_REJECT = `reason IN (${CLOCK_FAULTS.map((fault) => `'${fault}'`).join(', ')})`

export type Table = {
  name: string
  columns: Readonly<Record<string, Column>>
  /** The primary key. */
  key: readonly string[]
  /** Rows get ids that were never used: from their table, or, in PostgreSQL, those of items from a sequence. */
  ids?: 'own' | 'item'
  /** The rows go with the organization or the object that they name. */
  of?: 'organizations' | 'objects'
  /** Columns that refer to a row whose deletion deletes this one. */
  references?: Readonly<Record<string, string>>
  unique?: readonly string[]
  /** Columns with a default: 0 or false. */
  defaults?: readonly string[]
  /** The row exists once. */
  isSingle?: true
  /** Names and what follows them. */
  indexes?: Readonly<Record<string, string>>
  uniqueIndexes?: Readonly<Record<string, string>>
  sqlite?: {
    /** More columns, which count from 0. */
    counts?: readonly string[]
    key?: readonly string[]
    references?: Readonly<Record<string, string>>
    /** The rows lie beside their key, because they are long. */
    hasLongRows?: true
  }
  postgres?: {
    /** The rows are deleted by statements of their own. */
    isOfNone?: true
    /** Room in the pages of a table that is updated over and over keeps an update from touching an index. */
    fillfactor?: number
    /** Columns of text in the order of their bytes. */
    bytewise?: readonly string[]
  }
}

/** A list or an object is JSON. */
const STORED_AS: Record<Rule['schema']['type'], ColumnType> = {
  string: 'text',
  integer: 'int8',
  number: 'float8',
  boolean: 'bool',
  array: 'text',
}

/** The columns of settings, by their rules: `plate_number` of `plateNumber`. */
function settingColumns(rules: Readonly<Record<string, Rule>>): Record<string, Column> {
  const columns = Object.entries(rules).map(([setting, { schema, optional }]): [string, Column] => {
    const type = STORED_AS[schema.type]
    return [documentedName(setting), optional ? `${type}?` : type]
  })
  return Object.fromEntries(columns)
}

const TIMES = { created_at: 'int8', updated_at: 'int8' } as const
const OF_OBJECT = { organization: 'int8', object: 'int8' } as const
const ITEM = { organization: 'int8', id: 'int8' } as const
const ITEM_KEY = ['organization', 'id'] as const

const KEYS = {
  id: 'int8',
  organization: 'int8',
  name: 'text',
  hash: 'text',
  prefix: 'text',
  last_four: 'text',
  created_at: 'int8',
  expires_at: 'int8?',
  revoked_at: 'int8?',
  last_used_at: 'int8?',
} as const

const TOKENS = { ...KEYS, client: 'text?' } as const

const ORGANIZATIONS: readonly Table[] = [
  {
    name: 'organizations',
    columns: { id: 'int8', ...settingColumns(ORGANIZATION_RULES), ...TIMES },
    key: ['id'],
    ids: 'own',
    sqlite: { counts: ['object_count', 'place_count', 'vertex_count'] },
  },
  /** For whom API keys are, and why. A grant never changes, so that the disclosures under it keep its words. */
  {
    name: 'grants',
    columns: {
      id: 'int8',
      organization: 'int8',
      recipient: 'text?',
      purpose: 'text?',
      granted_at: 'int8',
    },
    key: ['id'],
    ids: 'own',
    of: 'organizations',
    indexes: { grants_by_organization: '(organization)' },
  },
  /**
   * `scope` is JSON, and NULL if the key opens everything. `scenario` is NULL if it opens its organization. `granted` is
   * its grant, and 0 if it has none.
   */
  {
    name: 'api_keys',
    columns: { ...KEYS, scope: 'text?', scenario: 'text?', granted: 'int8' },
    key: ['id'],
    ids: 'own',
    of: 'organizations',
    unique: ['hash'],
    indexes: { api_keys_by_organization: '(organization)' },
  },
  {
    name: 'feed_tokens',
    columns: TOKENS,
    key: ['id'],
    ids: 'own',
    of: 'organizations',
    unique: ['hash'],
    indexes: { feed_tokens_by_organization: '(organization)' },
  },
  /** How many objects each feed token made in a second. */
  {
    name: 'new_objects',
    columns: { organization: 'int8', feed_token: 'int8', second: 'int8', count: 'int4' },
    key: ['organization', 'feed_token', 'second'],
    of: 'organizations',
  },
  /** The idents that no object has. */
  {
    name: 'refused_idents',
    columns: {
      organization: 'int8',
      ident: 'text',
      reason: 'text',
      packets: 'int8',
      last_at: 'int8',
      latitude: 'float8?',
      longitude: 'float8?',
    },
    key: ['organization', 'ident'],
    of: 'organizations',
    postgres: { bytewise: ['ident'] },
  },
  /** The choices with which CSV files were imported. Headings and settings are JSON. */
  {
    name: 'saved_mappings',
    columns: {
      ...ITEM,
      ...{ kind: 'text', headings: 'text', name: 'text', settings: 'text', saved_at: 'int8' },
    },
    key: ITEM_KEY,
    of: 'organizations',
  },
  /** The catalogue of attributes. Settings are JSON. */
  {
    name: 'attributes',
    columns: { organization: 'int8', name: 'text', settings: 'text' },
    key: ['organization', 'name'],
    of: 'organizations',
    postgres: { bytewise: ['name'] },
  },
  /** See `change-log.ts`. */
  {
    name: 'change_log',
    columns: { organization: 'int8', seq: 'int8', at: 'int8', entries: 'bytea' },
    key: ['organization', 'seq'],
  },
]

const OBJECTS: readonly Table[] = [
  {
    name: 'objects',
    columns: { ...ITEM, ...settingColumns(OBJECT_RULES), accuracy: 'text', ...TIMES },
    key: ITEM_KEY,
    ids: 'item',
    of: 'organizations',
    unique: ['organization, ident'],
  },
  {
    name: 'object_states',
    columns: {
      ...OF_OBJECT,
      last_fix: 'bytea?',
      numbers: 'bytea',
      address: 'text?',
      address_at: 'int8?',
      attributes: 'bytea?',
    },
    key: ['organization', 'object'],
    of: 'objects',
    postgres: { fillfactor: 70 },
  },
  {
    name: 'counter_shifts',
    columns: { ...OF_OBJECT, from_time: 'int8', odometer: 'int8', engine_hours: 'int8' },
    key: ['organization', 'object', 'from_time'],
    of: 'objects',
  },
  /**
   * Positions that are some days old, packed (`positions/block.ts`). The table of positions has no row between the first and
   * the last row of a block.
   */
  {
    name: 'position_blocks',
    columns: {
      ...OF_OBJECT,
      ...{
        first_time: 'int8',
        last_time: 'int8',
        rows: 'int4',
        shown: 'int4',
        newest_change: 'int8',
      },
      block: 'bytea',
    },
    key: ['organization', 'object', 'first_time'],
    sqlite: { hasLongRows: true },
  },
  /** The objects that are folded again in the background, and where that begins. */
  {
    name: 'refolds',
    columns: { ...OF_OBJECT, from_time: 'int8' },
    key: ['organization', 'object'],
    of: 'objects',
    postgres: { isOfNone: true },
  },
  {
    name: 'object_rejects',
    columns: { ...OF_OBJECT, rejects: 'text' },
    key: ['organization', 'object'],
    of: 'objects',
  },
  /**
   * Deleted objects. Positions have no foreign key to their object, so that an object can be deleted at once and its
   * positions in slices.
   */
  { name: 'purges', columns: OF_OBJECT, key: ['organization', 'object'] },
]

/** The items that have settings alone. */
const LISTED: readonly Table[] = LIST_TOPICS.map((topic) => ({
  name: topic,
  columns: {
    ...ITEM,
    ...settingColumns(ITEM_RULES[topic]),
    ...(KINDS[topic].verticesOf && { vertices: 'int4' }),
    ...TIMES,
  },
  key: ITEM_KEY,
  ids: 'item',
  of: 'organizations',
  indexes: { [`${topic}_by_name`]: '(organization, name)' },
}))

/** The leases of one purpose (`tables/leases.ts`). */
const leaseTable = (name: string): Table => ({
  name,
  columns: { organization: 'int8', holder: 'text', until: 'int8' },
  key: ['organization'],
  of: 'organizations',
})

/** Trips, stops and visits (`record-store.ts`), and how far they are derived. */
const RECORDS: readonly Table[] = [
  /** The kinds are those of `STORED_KIND`. `place` is 0 without a place. */
  {
    name: 'records',
    columns: {
      organization: 'int8',
      kind: 'int4',
      object: 'int8',
      start_time: 'int8',
      place: 'int8',
      id: 'int8',
      revision: 'int8',
      updated_at: 'int8',
      end_time: 'int8?',
      duration: 'int8',
      fields: 'bytea',
      checkpoint: 'bytea?',
    },
    key: ['organization', 'kind', 'object', 'start_time', 'place'],
    uniqueIndexes: { records_by_id: '(organization, id)' },
    indexes: {
      records_by_place: '(organization, kind, place, object, start_time) WHERE place > 0',
      open_records: '(organization, object) WHERE end_time IS NULL',
    },
    postgres: { fillfactor: 90 },
  },
  {
    name: 'record_progress',
    columns: { organization: 'int8', seq: 'int8', at: 'int8', last_id: 'int8' },
    key: ['organization'],
    of: 'organizations',
    postgres: { fillfactor: 50 },
  },
  leaseTable('record_leases'),
  {
    name: 'record_tails',
    columns: { ...OF_OBJECT, progress: 'bytea', longest_visit: 'int8' },
    key: ['organization', 'object'],
    of: 'objects',
    postgres: { fillfactor: 70 },
  },
  /** `failed_at` and `error` are NULL if the task was not tried, or was not finished. */
  {
    name: 'record_tasks',
    columns: {
      organization: 'int8',
      kind: 'text',
      id: 'int8',
      after: 'int8',
      failed_at: 'int8?',
      error: 'text?',
    },
    key: ['organization', 'kind', 'id'],
    of: 'organizations',
  },
]

/** Computed days of objects (`coverage-store.ts`), and the counts of their rejected packets. */
const COVERAGE: readonly Table[] = [
  {
    name: 'coverage_states',
    columns: { organization: 'int8', form: 'text', seq: 'int8' },
    key: ['organization'],
    of: 'organizations',
  },
  {
    name: 'coverage_days',
    columns: {
      ...OF_OBJECT,
      day: 'int8',
      seq: 'int8',
      content: 'text',
      is_outdated: 'bool',
      changed_at: 'int8?',
    },
    key: ['organization', 'object', 'day'],
    of: 'objects',
    postgres: { fillfactor: 70 },
  },
  {
    name: 'reject_counts',
    columns: { ...OF_OBJECT, day: 'int8', reason: 'text', packets: 'int8' },
    key: ['organization', 'object', 'day', 'reason'],
    of: 'objects',
    indexes: { clock_rejects: `(organization, day) WHERE ${IS_CLOCK_REJECT}` },
    postgres: { fillfactor: 70 },
  },
]

/** Endpoints that get the changes of an organization, the deliveries to them, and who delivers. */
const WEBHOOKS: readonly Table[] = [
  {
    name: 'webhooks',
    columns: {
      id: 'int8',
      organization: 'int8',
      url: 'text',
      types: 'text?',
      ids: 'text?',
      include: 'text?',
      starts_from: 'text',
      secret: 'bytea',
      old_secret: 'bytea?',
      old_secret_until: 'int8?',
      off_at: 'int8?',
      off_reason: 'text?',
      restarts: 'bool',
      ...TIMES,
    },
    key: ['id'],
    ids: 'own',
    of: 'organizations',
    defaults: ['restarts'],
    indexes: { webhooks_by_organization: '(organization)' },
  },
  {
    name: 'webhook_deliveries',
    columns: {
      organization: 'int8',
      webhook: 'int8',
      number: 'int8',
      kind: 'text',
      message: 'text',
      created_at: 'int8',
      cursor: 'text?',
      entries: 'int4',
      body: 'bytea?',
      tries: 'int4',
      tried_at: 'int8?',
      status: 'int4?',
      failure: 'text?',
      duration_ms: 'int8?',
      delivered_at: 'int8?',
      failing_since: 'int8?',
      next_try_at: 'int8?',
      is_wanted: 'bool',
    },
    key: ['organization', 'webhook', 'number'],
    defaults: ['tries', 'is_wanted'],
    sqlite: {
      key: ['webhook', 'number'],
      references: { webhook: 'webhooks' },
      hasLongRows: true,
    },
  },
  leaseTable('webhook_leases'),
]

/** People, what they may do, and their ways in. */
const ACCESS: readonly Table[] = [
  /** The row exists once, and is locked by what changes people or ways in. The addresses are those of `PublicAddresses`. */
  {
    name: 'access_settings',
    columns: { id: 'int4', requires_totp: 'bool', console_url: 'text?', feed_url: 'text?' },
    key: ['id'],
    isSingle: true,
  },
  /** `totp_step` is the last step of time whose code was taken. `recovery_codes` is a JSON list of hashes. */
  {
    name: 'accounts',
    columns: {
      id: 'int8',
      email: 'text',
      name: 'text',
      created_at: 'int8',
      disabled_at: 'int8?',
      last_sign_in_at: 'int8?',
      password: 'text?',
      totp: 'text?',
      totp_step: 'int8?',
      recovery_codes: 'text?',
    },
    key: ['id'],
    ids: 'own',
    unique: ['email'],
  },
  {
    name: 'account_identities',
    columns: { issuer: 'text', subject: 'text', account: 'int8' },
    key: ['issuer', 'subject'],
    references: { account: 'accounts' },
    indexes: { identities_by_account: '(account)' },
    postgres: { bytewise: ['issuer', 'subject'] },
  },
  /** `organization` is 0 for a role of the deployment. */
  {
    name: 'account_roles',
    columns: { account: 'int8', organization: 'int8', is_from_sign_on: 'bool', role: 'text' },
    key: ['account', 'organization', 'is_from_sign_on'],
    references: { account: 'accounts' },
  },
  /** The columns are those of `AccessCredential`. */
  {
    name: 'access_credentials',
    columns: {
      id: 'int8',
      kind: 'text',
      name: 'text',
      hash: 'text',
      prefix: 'text',
      last_four: 'text',
      created_at: 'int8',
      expires_at: 'int8?',
      last_used_at: 'int8?',
      account: 'int8?',
      role: 'text?',
      organization: 'int8?',
      issued_by: 'int8?',
      issuer: 'int8?',
      is_sign_on: 'bool',
      sid: 'text?',
    },
    key: ['id'],
    ids: 'own',
    unique: ['hash'],
    references: { account: 'accounts', issued_by: 'accounts', issuer: 'access_credentials' },
    indexes: { credentials_by_account: '(account)' },
  },
  /** Attempts to sign in, by origin. */
  {
    name: 'sign_in_attempts',
    columns: { origin: 'text', failures: 'int8', at: 'int8', signed_in_at: 'int8?' },
    key: ['origin'],
    postgres: { bytewise: ['origin'] },
  },
]

/** The owners of idents, and what the deployment's feed tokens need (`routing-store.ts`). */
const ROUTING: readonly Table[] = [
  /** The unique index lets one organization be the first, if two claim an ident at once. */
  {
    name: 'ident_owners',
    columns: { ident: 'text', organization: 'int8', is_first: 'bool' },
    key: ['ident', 'organization'],
    of: 'organizations',
    defaults: ['is_first'],
    indexes: { ident_owners_by_organization: '(organization, ident)' },
    uniqueIndexes: { first_ident_owners: '(ident) WHERE is_first' },
    postgres: { bytewise: ['ident'] },
  },
  { name: 'deployment_tokens', columns: TOKENS, key: ['id'], ids: 'own', unique: ['hash'] },
  /** `any_of` and `organizations` are lists in JSON. */
  {
    name: 'routing_rules',
    columns: {
      ...{ id: 'int8', rank: 'int8', condition: 'text', attribute: 'text?', any_of: 'text' },
      ...{ organizations: 'text', create_objects: 'bool', created_at: 'int8' },
      ...{ placed_idents: 'int8', last_placed_at: 'int8?' },
    },
    key: ['id'],
    ids: 'own',
  },
  {
    name: 'waiting_idents',
    columns: {
      ...{ ident: 'text', format: 'text', packets: 'int8', first_at: 'int8', last_at: 'int8' },
      ...{ latitude: 'float8?', longitude: 'float8?' },
      ...{ device_name: 'text?', device_group: 'text?', rule: 'int8?' },
    },
    key: ['ident'],
    indexes: { waiting_idents_by_time: '(last_at, ident)' },
    postgres: { bytewise: ['ident'] },
  },
]

const ACCOUNTS: readonly Table[] = [
  /** The subject of an entry may be deleted. */
  {
    name: 'audit_log',
    columns: {
      id: 'int8',
      at: 'int8',
      actor: 'text',
      action: 'text',
      organization: 'int8?',
      target: 'int8?',
      name: 'text?',
      changes: 'text?',
    },
    key: ['id'],
    ids: 'own',
    indexes: { audit_log_by_organization: '(organization, id)' },
  },
  /** The use of the API. */
  {
    name: 'usage',
    columns: {
      organization: 'int8',
      day: 'int4',
      key: 'int8',
      operation: 'text',
      status: 'int4',
      requests: 'int8',
    },
    key: ['organization', 'day', 'key', 'operation', 'status'],
    of: 'organizations',
    postgres: { bytewise: ['operation'], fillfactor: 70 },
  },
  /** The rows of each object in the answers to each key, by its grant at that time (0: none) and the kind of data. */
  {
    name: 'disclosures',
    columns: {
      organization: 'int8',
      day: 'int4',
      key: 'int8',
      object: 'int8',
      granted: 'int8',
      data: 'text',
      requests: 'int8',
      rows: 'int8',
    },
    key: ['organization', 'day', 'key', 'object', 'granted', 'data'],
    of: 'organizations',
    postgres: { bytewise: ['data'], fillfactor: 70 },
  },
]

/** Each table comes after those to which its rows refer. */
export const TABLES: readonly Table[] = [
  ...[...ORGANIZATIONS, ...OBJECTS, ...LISTED, ...RECORDS],
  ...[...COVERAGE, ...WEBHOOKS, ...ACCESS, ...ROUTING, ...ACCOUNTS],
]

/** The parts of a column. */
export function partsOf(column: Column): { type: ColumnType; isOptional: boolean } {
  return { type: column.replace('?', '') as ColumnType, isOptional: column.endsWith('?') }
}

/** Creates the indexes of a table. */
export function indexesOf({ name, indexes = {}, uniqueIndexes = {} }: Table): string[] {
  const create = (kind: string, of: Readonly<Record<string, string>>) =>
    Object.entries(of).map(([index, rest]) => `CREATE ${kind} ${index} ON ${name} ${rest};`)
  return [...create('INDEX', indexes), ...create('UNIQUE INDEX', uniqueIndexes)]
}
