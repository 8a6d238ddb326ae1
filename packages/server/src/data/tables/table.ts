import { documentedName, type Rule } from '../../base/domain/setting-rule.ts'
import { CLOCK_FAULTS } from '../../engine/tracking/rules/judge.ts'

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
    /** The rows are stored apart from their key, because they are long. */
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
export function settingColumns(rules: Readonly<Record<string, Rule>>): Record<string, Column> {
  const columns = Object.entries(rules).map(([setting, { schema, optional }]): [string, Column] => {
    const type = STORED_AS[schema.type]
    return [documentedName(setting), optional ? `${type}?` : type]
  })
  return Object.fromEntries(columns)
}

export const TIMES = { created_at: 'int8', updated_at: 'int8' } as const
export const OF_OBJECT = { organization: 'int8', object: 'int8' } as const

export const KEYS = {
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

/** When a credential ends. Never: after all times. An index of this expression finds the active ones. */
export const KEY_END =
  'coalesce(CASE WHEN revoked_at < expires_at THEN revoked_at ELSE expires_at END, revoked_at, 9007199254740991)'

/** `requests`: their numbers by UTC day in JSON. */
export const TOKENS = { ...KEYS, client: 'text?', requests: 'text?' } as const

/** The leases of one purpose (`tables/leases.ts`). */
export const leaseTable = (name: string): Table => ({
  name,
  columns: { organization: 'int8', holder: 'text', until: 'int8' },
  key: ['organization'],
  of: 'organizations',
})

/** The parts of a column. */
export function partsOf(column: Column): { type: ColumnType; isOptional: boolean } {
  return { type: column.replace('?', '') as ColumnType, isOptional: column.endsWith('?') }
}

/** Creates the indexes of a table. */
export function indexesOf({ name, indexes = {}, uniqueIndexes = {} }: Table): string[] {
  const create = (kind: string, definitions: Readonly<Record<string, string>>) =>
    Object.entries(definitions).map(
      ([index, rest]) => `CREATE ${kind} ${index} ON ${name} ${rest};`,
    )
  return [...create('INDEX', indexes), ...create('UNIQUE INDEX', uniqueIndexes)]
}
