import { ITEM_RULES, LIST_TOPICS } from '../../base/domain/item-rules.ts'
import { OBJECT_RULES } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_RULES } from '../../base/domain/organization.ts'
import { ACCESS, LOGS, ROUTING, WEBHOOKS } from './deployment-tables.ts'
import { KINDS } from './item-columns.ts'
import {
  IS_CLOCK_REJECT,
  KEY_END,
  KEYS,
  leaseTable,
  OF_OBJECT,
  settingColumns,
  type Table,
  TIMES,
  TOKENS,
} from './table.ts'

/**
 * The tables that are the same in both stores, each defined once. The statements that create them, and the columns
 * of a copy, are made from these. Times are milliseconds since the epoch. Tables that a store lays out its own way
 * are in its own `schema.ts`: positions, and the numbers of changes and ids.
 */

const ITEM = { organization: 'int8', id: 'int8' } as const
const ITEM_KEY = ['organization', 'id'] as const

const ORGANIZATIONS: readonly Table[] = [
  {
    name: 'organizations',
    columns: { id: 'int8', ...settingColumns(ORGANIZATION_RULES), ...TIMES },
    key: ['id'],
    ids: 'own',
    sqlite: { counts: ['object_count', 'place_count', 'vertex_count'] },
  },
  /** For whom API keys are, and why. A disclosee never changes, so that the disclosures under it keep its words. */
  {
    name: 'disclosees',
    columns: {
      id: 'int8',
      organization: 'int8',
      recipient: 'text?',
      purpose: 'text?',
      created_at: 'int8',
    },
    key: ['id'],
    ids: 'own',
    of: 'organizations',
    indexes: { disclosees_by_organization: '(organization)' },
  },
  /**
   * `scope` is JSON, and NULL if the key opens everything. `scenario` is NULL if it opens its organization. `disclosee` is
   * its disclosee, and 0 if it has none.
   */
  {
    name: 'api_keys',
    columns: { ...KEYS, scope: 'text?', scenario: 'text?', disclosee: 'int8' },
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
  /** `scope` is that of an API key. `requests`: as of tokens. `way_since` is NULL if it shows no way. */
  {
    name: 'links',
    columns: { ...KEYS, scope: 'text?', disclosee: 'int8', way_since: 'int8?', requests: 'text?' },
    key: ['id'],
    ids: 'own',
    of: 'organizations',
    unique: ['hash'],
    indexes: { links_by_end: `(organization, (${KEY_END}))` },
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
  /** The names that devices use for values, and the number of objects that have each. */
  {
    name: 'attribute_names',
    columns: { organization: 'int8', name: 'text', objects: 'int8' },
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
      /** The version of the rules that folded the first positions. Null: none were folded. */
      rules: 'int4?',
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
  /** The number of blocks of an object: without it nobody would notice that one is missing. */
  {
    name: 'block_counts',
    columns: { ...OF_OBJECT, blocks: 'int4' },
    key: ['organization', 'object'],
    of: 'objects',
  },
  /** The objects that are folded again in the background, and where that begins. */
  {
    name: 'refolds',
    columns: { ...OF_OBJECT, from_time: 'int8' },
    key: ['organization', 'object'],
    of: 'objects',
    postgres: { isOfNone: true },
  },
  /** Trackers that were put into other objects. `is_done`: their positions have followed. */
  {
    name: 'tracker_moves',
    columns: {
      ...{ organization: 'int8', ident: 'text', since: 'int8' },
      ...{ object: 'int8', successor: 'int8', requested_at: 'int8', is_done: 'bool' },
    },
    key: ['organization', 'ident', 'since'],
    of: 'organizations',
    postgres: { bytewise: ['ident'] },
  },
  /**
   * The ranges of time whose positions were deleted, or the values of an attribute, without what was in them: none is stored
   * again. An empty `attribute`: the positions. Values from `left_to` back are left. `seq`: the last change that deleted some.
   * `state`: `under_way`, `done` since `done_at`, or `damaged` if positions that cannot be read are left.
   */
  {
    name: 'erasures',
    columns: {
      ...OF_OBJECT,
      ...{ from_time: 'int8', to_time: 'int8', attribute: 'text', left_to: 'int8' },
      ...{ erased_at: 'int8', seq: 'int8', state: 'text', done_at: 'int8?' },
    },
    key: ['organization', 'object', 'from_time', 'to_time', 'attribute'],
    of: 'objects',
    postgres: { bytewise: ['attribute'] },
    indexes: { erasures_under_way: "(organization, object) WHERE state = 'under_way'" },
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

/** Records (`record-store.ts`), and how far they are derived. */
const RECORDS: readonly Table[] = [
  /** The kinds are those of `STORED_KIND`. `place` is the attribute of a level, and 0 without a place. */
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
  /** `longest_visit`: the milliseconds of the longest visit, or change of level, that ended. */
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

/** Computed days of objects (`record-store.ts`), and the counts of their rejected packets. */
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

/** Each table comes after those to which its rows refer. */
export const TABLES: readonly Table[] = [
  ...ORGANIZATIONS,
  ...OBJECTS,
  ...LISTED,
  ...RECORDS,
  ...COVERAGE,
  ...WEBHOOKS,
  ...ACCESS,
  ...ROUTING,
  ...LOGS,
]
