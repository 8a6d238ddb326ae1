import { runInTurns } from '../../base/domain/common/slots.ts'
import { DEPLOYMENT } from '../../base/domain/routing-rule.ts'
import type { Note } from '../../engine/store/audit-store.ts'
import type { Change, Topic } from '../../engine/store/store.ts'
import { atHand, runAwaiting, waitFor } from '../../engine/tracking/work.ts'
import { noted as notedWork } from '../tables/audit-tables.ts'
import type { Dialect, OrganizationSql, Sql, Tables, Value } from '../tables/sql.ts'
import { ANNOUNCE, type Announcements, announced } from './announcements.ts'
import { statement } from './connection/connection-pool.ts'
import { type Connection, type Database, ofAllOrganizations } from './connection/database.ts'
import { byteaArray, givenStatement, int8Array } from './connection/given-rows.ts'
import type { OrganizationWrites } from './organization-writes.ts'

/** Until the end of the transaction. */
const LOCK = statement('SELECT pg_advisory_xact_lock(7305464)')
const NEWEST = statement(`
  SELECT coalesce(max(sequence), 0) AS newest FROM changes WHERE organization = $1`)
const NEWEST_OF_IDENTS = statement(`
  SELECT coalesce(max(sequence), 0) AS newest FROM changes
  WHERE organization = ANY($1::int8[]) AND topic = 'idents'`)

type Newest = [{ newest: number }]

/** The transaction of a change of the deployment. */
type DeploymentWrite = Connection & Pick<OrganizationSql, 'changed' | 'identsChanged'>

/** Runs the changes of the deployment one after the other, and reports them as those of the organization `DEPLOYMENT`. */
function deploymentChanges(database: Database, announcements: Announcements) {
  return async <Result>(work: (write: DeploymentWrite) => Promise<Result>): Promise<Result> => {
    const { result, changes } = await database.transaction(async (connection) => {
      await connection.query(LOCK, [])
      let [{ newest }] = (await connection.query(NEWEST, [DEPLOYMENT])) as Newest
      const changes: Change[] = []
      function note(organization: number, topic: Topic): void {
        const change = { organization, topic, sequence: newest + 1 }
        changes.push(change)
        connection.run(ANNOUNCE, announced(organization, [change]))
      }
      const topics = new Set<Topic>()
      const ofIdents = new Set<number>()
      const result = await work({
        ...connection,
        changed: (topic) => topics.add(topic),
        identsChanged: (id) => ofIdents.add(id),
      })
      if (ofIdents.size > 0) {
        const ids = int8Array([...ofIdents])
        const [known] = (await connection.query(NEWEST_OF_IDENTS, [ids])) as Newest
        // A copy of SQLite has greater numbers: watchers would take a smaller one for a change that they know.
        newest = Math.max(newest, known.newest)
        // So that the next change gets another number.
        topics.add('idents')
      }
      for (const topic of topics) note(DEPLOYMENT, topic)
      for (const id of ofIdents) note(id, 'idents')
      return { result, changes }
    })
    await announcements.report(changes)
    return result
  }
}

/** Lists and rows as values of statements. */
export const LISTS: Pick<Dialect, 'bytewise' | 'isIn' | 'list' | 'rowWriter' | 'rowReplacer'> = {
  bytewise: 'COLLATE "C"',
  isIn: (expression, parameter, kind = 'bigint') => `${expression} = ANY(${parameter}::${kind}[])`,
  list: (values: readonly (number | string)[], kind?: 'text') =>
    kind === 'text' ? textArray(values as string[]) : int8Array(values as number[]),
  rowWriter(table, columns, onConflict = '') {
    const kinds = Object.values(columns)
    const lists = kinds.map((kind, at) => `$${at + 2}::${kind}[]`).join(', ')
    const { text } = givenStatement(
      ({ rows }) => `
      INSERT INTO ${table} (organization, ${Object.keys(columns).join(', ')})
      ${rows(`unnest(${lists})`)} ${onConflict}`,
    )
    return ({ run }, organization, rows) => {
      if (rows.length === 0) return
      const listOf = (kind: keyof typeof ARRAYS, at: number) =>
        ARRAYS[kind](rows.map((row) => row[at] as never))
      run(text, [organization, ...kinds.map(listOf)])
    }
  },
  rowReplacer(table, key, columns) {
    const others = Object.keys(columns).filter((column) => !key.includes(column))
    const taken = others.map((column) => `${column} = excluded.${column}`).join(', ')
    // Unlike an UPDATE, this cannot get a bad plan.
    const onConflict = `ON CONFLICT (organization, ${key.join(', ')}) DO UPDATE SET ${taken}`
    return LISTS.rowWriter(table, columns, onConflict)
  },
}

const ARRAYS = { bigint: int8Array, text: textArray, bytea: byteaArray }

function dialect(isDistributed: boolean): Dialect {
  return {
    owners: isDistributed
      ? { table: 'sequences', id: 'sequences.organization' }
      : { table: 'organizations', id: 'organizations.id' },
    isDistributed,
    // Takes a fraction of a second, during which other writers of the same rows wait.
    rowsAtOnce: 10_000,
    readAtOnce: 500,
    forUpdate: 'FOR UPDATE',
    forKeyShare: 'FOR KEY SHARE',
    by: () => '',
    ...LISTS,
    given(parameter, columns) {
      const fields = Object.entries(columns).map((column) => column.join(' '))
      return `json_to_recordset(${parameter}) AS given (${fields.join(', ')})`
    },
    // The clocks of processes differ.
    now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  }
}

/** The tables of `data/tables` in PostgreSQL: work waits for each answer that it needs. */
export function postgresTables(
  database: Database,
  writes: OrganizationWrites,
  announcements: Announcements,
  isDistributed: boolean,
): Tables {
  const changeDeployment = deploymentChanges(database, announcements)
  const write: Tables['write'] = (work) =>
    database.transaction((connection) => runAwaiting(work(sqlOf(connection))))
  return {
    dialect: dialect(isDistributed),
    read: (work) => runAwaiting(work(sqlOf(database))),
    readAll: (all, ofOne) =>
      ofAllOrganizations(
        database,
        () => runAwaiting(all(sqlOf(database))),
        (organization) => runAwaiting(ofOne(sqlOf(database), organization)),
      ),
    write,
    writeIfFree: write,
    change(organization, work) {
      if (organization === DEPLOYMENT) {
        return changeDeployment((write) =>
          runAwaiting(work({ ...NO_DATA, ...write, ...sqlOf(write), organization })),
        )
      }
      return writes.write(organization, (write) =>
        runAwaiting(
          work({
            ...sqlOf(write),
            organization,
            changed: write.changed,
            identsChanged: neverOfOrganization,
            logged: () => atHand(write.logged),
            log: write.log,
            versions: () =>
              atHand({ change: write.change, objects: write.objectsAt, states: write.statesAt }),
            stored: write.stored,
            isUndone: () => !write.isCommitted(),
          }),
        ),
      )
    },
  }
}

function neverOfOrganization(): never {
  throw new Error('only a transaction of the deployment assigns idents')
}

function neverOfDeployment(): never {
  throw new Error('the deployment has no objects')
}

/** The deployment has no change log, and no objects. */
const NO_DATA = {
  logged: () => atHand(0),
  log() {},
  versions: neverOfDeployment,
  stored: neverOfDeployment,
  isUndone: neverOfDeployment,
}

/** Adds the entries of a note in the transaction of the write, and returns the result of the write. */
export function noted<Result, Before>(
  connection: Connection,
  ...noting: [result: Result, note: Note<Result, Before> | undefined, before?: Before]
): Promise<Result> {
  return runAwaiting(notedWork(sqlOf(connection), ...noting))
}

/** In a transaction a statement's error fails it, even if nobody awaits the statement. */
export function sqlOf(connection: Pick<Connection, 'query' | 'run'>): Sql {
  const all = <Row extends object>(text: string, values: readonly Value[]) =>
    waitFor(connection.query<Row>(statement(text), values))
  return {
    all,
    *one<Row extends object>(text: string, values: readonly Value[]) {
      return (yield* all<Row>(text, values))[0]
    },
    count: (text, values) => waitFor(connection.run(statement(text), values)),
    run: (text, values) => void connection.run(statement(text), values),
    compute: (steps) => waitFor(runInTurns(steps)),
  }
}

/** A `text[]` in the server's text format. */
function textArray(texts: readonly (string | null)[]): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
  return `{${texts.map((text) => (text === null ? 'NULL' : quoted(text))).join(',')}}`
}
