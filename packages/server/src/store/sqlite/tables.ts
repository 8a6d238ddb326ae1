import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { atHand, runAtOnce } from '../../fold/work.ts'
import type { Note } from '../audit-store.ts'
import type { Topic } from '../store.ts'
import { noted } from '../tables/audit.ts'
import type { Dialect, Sql, Tables, Value } from '../tables/sql.ts'
import type { TopicChanges } from './changes.ts'
import type { Database } from './database/database.ts'

/** One writer at a time needs no lock of rows. */
const DIALECT: Dialect = {
  owners: { table: 'organizations', id: 'organizations.id' },
  isDistributed: false,
  // Takes some milliseconds, in which this process does nothing else.
  rowsAtOnce: 500,
  forUpdate: '',
  forKeyShare: '',
  bytewise: '',
  isIn: (expression, parameter) => `${expression} IN (SELECT value FROM json_each(${parameter}))`,
  list: (ids) => JSON.stringify(ids),
  given(parameter, columns) {
    const fields = Object.keys(columns).map((column) => `value ->> '${column}' AS ${column}`)
    return `(SELECT ${fields.join(', ')} FROM json_each(${parameter})) AS given`
  },
  now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
}

/** The tables of `store/tables` in SQLite: work runs to its end at once. */
export function sqliteTables(database: Database, changes: TopicChanges): Tables {
  const shown = sqlOf(database.reader)
  const written = sqlOf(database.writer)
  const exists = database.writer.prepare('SELECT 1 FROM organizations WHERE id = ?')
  return {
    dialect: DIALECT,
    read: async (work) => database.read(() => runAtOnce(work(shown))),
    write: (work) => database.write(() => runAtOnce(work(written))),
    writeIfFree: (work) => database.writeIfFree(() => runAtOnce(work(written))),
    change: (organization, work) =>
      database.write(() => {
        if (exists.get(organization) === undefined) return null
        const topics = new Set<Topic>()
        const result = runAtOnce(work({ ...written, changed: (topic) => topics.add(topic) }))
        if (topics.size > 0) changes.record(organization, [...topics])
        return result
      }),
  }
}

/** Adds the entries of a note in the transaction of the write, and returns the result of the write. */
export type Noted = <Result, Before>(
  result: Result,
  note: Note<Result, Before> | undefined,
  before?: Before,
) => Result

export function notedWrites({ writer }: Database): Noted {
  const written = sqlOf(writer)
  return (result, note, before) => runAtOnce(noted(written, result, note, before))
}

function sqlOf(connection: DatabaseSync): Sql {
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
    prepare(statement).run(...values.map(boundValue)).changes
  return {
    all: <Row>(statement: string, values: readonly Value[]) =>
      atHand(prepare(statement).all(...values.map(boundValue)) as Row[]),
    one: <Row>(statement: string, values: readonly Value[]) =>
      atHand(prepare(statement).get(...values.map(boundValue)) as Row | undefined),
    count: (statement, values) => atHand(Number(run(statement, values))),
    run: (statement, values) => void run(statement, values),
  }
}

/** SQLite has no booleans. */
function boundValue(value: Value): Exclude<Value, boolean> {
  return typeof value === 'boolean' ? Number(value) : value
}
