import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { addAll } from '../../base/domain/common/any-number.ts'
import { runAtOnce as runSteps } from '../../base/domain/common/steps.ts'
import { DEPLOYMENT } from '../../base/domain/routing-rule.ts'
import {
  type ChangeEntries,
  type ItemEntry,
  NO_ENTRIES,
} from '../../engine/store/change-entries.ts'
import type { Topic } from '../../engine/store/store.ts'
import { atHand, runAtOnce } from '../../engine/tracking/work.ts'
import type {
  Dialect,
  OrganizationSql,
  RowWriter,
  Sql,
  StoredStates,
  Tables,
  Value,
  Versions,
  WrittenColumns,
} from '../tables/sql.ts'
import type { TopicChanges } from './changes.ts'
import type { Database } from './database/database.ts'

/** There is only one writer at a time, so rows need no locks. */
export const DIALECT: Dialect = {
  owners: { table: 'organizations', id: 'organizations.id' },
  isDistributed: false,
  // Takes a few milliseconds, during which this process does nothing else.
  rowsAtOnce: 500,
  // About 0.2 ms.
  readAtOnce: 250,
  forUpdate: '',
  forKeyShare: '',
  by: (index) => `INDEXED BY ${index}`,
  bytewise: '',
  isIn: (expression, parameter) => `${expression} IN (SELECT value FROM json_each(${parameter}))`,
  list: (values: readonly unknown[]) => JSON.stringify(values),
  rowWriter: (table, columns, onConflict = '') =>
    rowWriter(`INSERT INTO ${table} ${valuesOf(columns)} ${onConflict}`),
  // Looks up a row once; an upsert would look it up twice.
  rowReplacer: (table, _key, columns) =>
    rowWriter(`INSERT OR REPLACE INTO ${table} ${valuesOf(columns)}`),
  given(parameter, columns) {
    const fields = Object.keys(columns).map((column) => `value ->> '${column}' AS ${column}`)
    return `(SELECT ${fields.join(', ')} FROM json_each(${parameter})) AS given`
  },
  now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
}

function valuesOf(columns: WrittenColumns): string {
  const names = ['organization', ...Object.keys(columns)]
  return `(${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`
}

function rowWriter(insert: string): RowWriter {
  return ({ run }, organization, rows) => {
    for (const row of rows) run(insert, [organization, ...row])
  }
}

const NEXT_LOGGED = `
  SELECT coalesce(max(seq), 0) + 1 AS next FROM change_log WHERE organization = $1`

/** The number of the next change, if the organization exists. */
const NEXT = `
  SELECT sequence + 1 AS next FROM newest_change
  WHERE ?1 = ${DEPLOYMENT} OR EXISTS (SELECT 1 FROM organizations WHERE id = ?1)`

const VERSIONS = `
  SELECT
    coalesce((SELECT sequence FROM changes WHERE organization = ?1 AND topic = 'objects'), 0) AS objects,
    coalesce((SELECT sequence FROM changes WHERE organization = ?1 AND topic = 'states'), 0) AS states`

/** The tables of `data/tables` in SQLite: work runs to its end synchronously. */
export function sqliteTables(database: Database, changes: TopicChanges): Tables {
  const shown = sqlOf(database.reader)
  const written = sqlOf(database.writer)
  const next = database.writer.prepare(NEXT)
  const versions = database.writer.prepare(VERSIONS)
  return {
    dialect: DIALECT,
    read: async (work) => database.read(() => runAtOnce(work(shown))),
    readAll: async (all) => database.read(() => runAtOnce(all(shown))),
    write: (work) => database.write(() => runAtOnce(work(written))),
    writeIfFree: (work) => database.writeIfFree(() => runAtOnce(work(written))),
    change: (organization, work) =>
      database.write((transaction) => {
        // The rest of this transaction makes all changes after it, so it is read once.
        const found = next.get(organization) as { next: number } | undefined
        if (found === undefined) return null
        let sequence = found.next
        const topics = new Set<Topic>()
        const ofIdents = new Set<number>()
        const items: ItemEntry[] = []
        let logged: Partial<ChangeEntries> | undefined
        let stored: StoredStates | undefined
        const sql: OrganizationSql = {
          ...written,
          organization,
          changed: (topic) => topics.add(topic),
          identsChanged: (id) => ofIdents.add(id),
          *logged() {
            return (yield* written.one<{ next: number }>(NEXT_LOGGED, [organization]))!.next
          },
          log(entries) {
            addAll(items, entries.items ?? [])
            logged = { ...logged, ...entries, items }
          },
          versions() {
            const { objects, states } = versions.get(organization) as Omit<Versions, 'change'>
            return atHand({ change: sequence, objects, states })
          },
          stored(states) {
            stored = states
            return sequence
          },
          isUndone: undoneSince(database.rollbacks),
        }
        const result = runAtOnce(work(sql))
        const entry = logged && changes.log(organization, { ...NO_ENTRIES, ...logged })
        for (const id of ofIdents) changes.record(id, ['idents'], sequence++)
        if (stored !== undefined) topics.add('states')
        if (topics.size > 0) {
          changes.record(organization, [...topics], sequence)
          if (stored !== undefined) {
            const states = { ...stored, logged: entry! }
            const change = { organization, topic: 'states', sequence, stored: states } as const
            transaction.onCommit(() => changes.report(change))
          } else if (topics.has('records')) {
            const change = { organization, topic: 'records', sequence } as const
            transaction.onCommit(() => changes.report(change))
          }
        }
        return result
      }),
  }
}

/** Whether a transaction was undone since the call: any write may have shared it. Keeps no reference to its transaction. */
function undoneSince(rollbacks: () => number): () => boolean {
  const before = rollbacks()
  return () => rollbacks() !== before
}

export function sqlOf(connection: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>()

  function prepare(statement: string): StatementSync {
    let found = prepared.get(statement)
    if (found === undefined) {
      found = connection.prepare(statement.replace(/\$(\d+)/g, '?$1'))
      prepared.set(statement, found)
    }
    return found
  }

  const run = (statement: string, values: readonly Value[]) =>
    prepare(statement).run(...bound(values)).changes
  return {
    all: <Row>(statement: string, values: readonly Value[]) =>
      atHand(prepare(statement).all(...bound(values)) as Row[]),
    one: <Row>(statement: string, values: readonly Value[]) =>
      atHand(prepare(statement).get(...bound(values)) as Row | undefined),
    count: (statement, values) => atHand(Number(run(statement, values))),
    run: (statement, values) => void run(statement, values),
    compute: (steps) => atHand(runSteps(steps)),
  }
}

/** SQLite has no booleans. */
export function bound(values: readonly Value[]): readonly Exclude<Value, boolean>[] {
  return values.every(isBound)
    ? values
    : values.map((each) => (isBound(each) ? each : Number(each)))
}

function isBound(value: Value): value is Exclude<Value, boolean> {
  return typeof value !== 'boolean'
}
