import { takeTurn } from '../../base/domain/common/slots.ts'
import type { Steps } from '../../base/domain/common/steps.ts'
import type { ChangeEntries } from '../../engine/store/change-entries.ts'
import type { Change, Topic } from '../../engine/store/store.ts'
import type { Work } from '../../engine/tracking/work.ts'

/**
 * Reads up to `limit` rows, at most `size` at once, and lets others run in between. `read` gets the number of
 * rows to read and the last row before them.
 */
export async function inSlices<Row>(
  limit: number,
  size: number,
  read: (count: number, last: Row | undefined) => Row[] | Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  while (rows.length < limit) {
    if (rows.length > 0) await takeTurn()
    const count = Math.min(limit - rows.length, size)
    const slice = await read(count, rows.at(-1))
    for (const row of slice) rows.push(row)
    if (slice.length < count) break
  }
  return rows
}

/** Reads what belongs to each part of a list, `size` of it at once, and lets others run in between. */
export async function inParts<Named, Read>(
  all: readonly Named[],
  size: number,
  read: (part: readonly Named[]) => Iterable<Read> | Promise<Iterable<Read>>,
): Promise<Read[]> {
  const found: Read[] = []
  for (let from = 0; from < all.length; from += size) {
    if (from > 0) await takeTurn()
    for (const each of await read(all.slice(from, from + size))) found.push(each)
  }
  return found
}

/** All items of the pages. */
export async function everyItem<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pages) for (const item of page) items.push(item)
  return items
}

/**
 * The port to a database, for tables that are the same in both stores. Work on such a table is stated once; a store
 * says how it runs. In a statement `$1` is the first value.
 */
export type Sql = {
  /** Callers of the store get copies of rows: SQLite's rows are not ordinary objects. */
  all<Row extends object>(statement: string, values: readonly Value[]): Work<Row[]>
  /** The first row. */
  one<Row extends object>(statement: string, values: readonly Value[]): Work<Row | undefined>
  /** Returns the number of written rows. */
  count(statement: string, values: readonly Value[]): Work<number>
  /** Runs a statement whose answer the work does not need. Its error fails the transaction. */
  run(statement: string, values: readonly Value[]): void
  /** Computes something long: in turns with others, if the store may wait. */
  compute<Result>(steps: Steps<Result>): Work<Result>
}

/** A transaction on the data of an organization. */
export type OrganizationSql = Sql & {
  readonly organization: number
  /** Notes that a topic changes. */
  changed(topic: Topic): void
  /** In a transaction of the deployment: notes that an organization gets or loses idents. */
  identsChanged(organization: number): void
  /** The number that this change gets in the change log, if the log says something of it. */
  logged(): Work<number>
  /** Adds to what the change log will say of this change. */
  log(entries: Partial<ChangeEntries>): void
  /** The numbers of this change and of those before it. */
  versions(): Work<Versions>
  /**
   * Notes the new states of objects, at most once. Watchers of this store object get them. Returns the number of this
   * change of states.
   */
  stored(states: StoredStates): number
  /** Whether this transaction was undone. Known when the next one of the organization begins. */
  isUndone(): boolean
}

/**
 * `change`: the number of this change of the organization, which is used only if something is noted. The newest change of
 * its objects, and that of its states.
 */
export type Versions = { change: number; objects: number; states: number }

export type StoredStates = Omit<NonNullable<Change['stored']>, 'logged'>

export type Value = string | number | boolean | Uint8Array | null

export type ColumnKind = 'bigint' | 'text'

export type WrittenColumns = Readonly<Record<string, ColumnKind | 'bytea'>>

/** In one statement, if the store may wait. A row has the values of the columns in their order. */
export type RowWriter = (
  sql: Pick<Sql, 'run'>,
  organization: number,
  rows: readonly (readonly Value[])[],
) => void

/** Parts of statements that the databases word differently. */
export type Dialect = {
  /** A table with one row of each organization, on the server of the organization's other rows, and its id. */
  readonly owners: { readonly table: string; readonly id: string }
  /** Whether organizations are on several servers. Rows are then inserted for one organization at a time. */
  readonly isDistributed: boolean
  /** The best number of rows that one transaction writes. More of them keep others waiting. */
  readonly rowsAtOnce: number
  /** The best number of rows that one statement reads. More of them keep others waiting while they are unpacked. */
  readonly readAtOnce: number
  /** At the end of a SELECT: its rows stay as they are until the end of the transaction. */
  readonly forUpdate: string
  /** The same, but others may hold them too. */
  readonly forKeyShare: string
  /** After a table in a FROM: SQLite reads it by this index, and would take a worse one otherwise. */
  by(index: string): string
  /** After a text in an ORDER BY: by the bytes of its characters. */
  readonly bytewise: string
  /** Whether an expression has one of the values of a list. */
  isIn(expression: string, parameter: string, kind?: ColumnKind): string
  list(ids: readonly number[]): Value
  list(texts: readonly string[], kind: 'text'): Value
  /** Writes rows of an organization into a table, whose other columns are given with their kinds. */
  rowWriter(table: string, columns: WrittenColumns, onConflict?: string): RowWriter
  /** The same, for whole rows of a table. They take the place of rows with the same key. */
  rowReplacer(table: string, key: readonly string[], columns: WrittenColumns): RowWriter
  /** Rows that are given as JSON, for a FROM. */
  given(parameter: string, columns: Readonly<Record<string, ColumnKind>>): string
  /** Milliseconds since the epoch, by a clock that all processes share. */
  readonly now: string
}

/** Runs work on a database. The promises reject with `StoreUnavailable` during an outage. */
export type Tables = {
  readonly dialect: Dialect
  /** Runs work that only reads. */
  read<Result>(work: (sql: Sql) => Work<Result>): Promise<Result>
  /** Runs work in one transaction. If another transaction was in the way, it runs again in a new one. */
  write<Result>(work: (sql: Sql) => Work<Result>): Promise<Result>
  /**
   * Reads rows of all organizations. If some of these cannot be asked, those of others, one organization at a time.
   */
  readAll<Row>(
    all: (sql: Sql) => Work<Row[]>,
    ofOne: (sql: Sql, organization: number) => Work<Row[]>,
  ): Promise<Row[]>
  /** As `write`. A store in which one writes at a time rejects with `StoreUnavailable` at once if another one does. */
  writeIfFree<Result>(work: (sql: Sql) => Work<Result>): Promise<Result>
  /**
   * As `write`, but no two such transactions of an organization overlap, and watchers get what was noted. Null, without
   * running the work, if the organization does not exist. `DEPLOYMENT` does, and has no change log.
   */
  change<Result>(
    organization: number,
    work: (sql: OrganizationSql) => Work<Result>,
  ): Promise<Result | null>
}

/** Reads rows, as ordinary objects for the callers of the store. */
export async function plainRows<Row extends object>(
  { read }: Pick<Tables, 'read'>,
  statement: string,
  values: readonly Value[] = [],
): Promise<Row[]> {
  const rows = await read(({ all }) => all<Row>(statement, values))
  return rows.map((row) => ({ ...row }))
}

/** As `Tables.change`, of an organization that exists. */
export async function inExisting<Result>(
  { change }: Pick<Tables, 'change'>,
  organization: number,
  work: (sql: OrganizationSql) => Work<Result>,
): Promise<Result> {
  const result = await change(organization, work)
  if (result === null) throw new Error(`there is no organization ${organization}`)
  return result
}
