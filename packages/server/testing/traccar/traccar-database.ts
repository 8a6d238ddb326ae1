import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { type Kind, PARTITIONED_POSITIONS, tablesOf } from './traccar-tables.ts'

type Value = string | number | boolean | null | object

/** An empty Traccar in a real database. */
export type TraccarDatabase = {
  /** As its owner. */
  url: string
  /** As a user who may read the tables, and nothing else. */
  readerUrl: string
  run(...statements: string[]): Promise<void>
  insert(table: string, rows: readonly Readonly<Record<string, Value>>[]): Promise<void>
}

/** Makes the tables of Traccar in an empty database. `isPartitioned`: with its positions laid out as in a hypertable. */
export async function makeTraccar(
  kind: Kind,
  url: string,
  { isPartitioned = false } = {},
): Promise<TraccarDatabase> {
  const run = kind === 'mysql' ? runOnMysql(url) : runOnPostgres(url)
  await run(...tablesOf(kind), ...(isPartitioned ? PARTITIONED_POSITIONS : []))
  const reader = new URL(url)
  reader.username = `reader_${reader.pathname.slice(1)}`
  reader.password = 'secret'
  await run(...grants(kind, reader))
  return {
    url,
    readerUrl: reader.href,
    run,
    async insert(table, rows) {
      for (let at = 0; at < rows.length; at += 1_000) {
        const part = rows.slice(at, at + 1_000)
        const columns = Object.keys(part[0]!)
        const values = part.map((row) => `(${columns.map((name) => literal(row[name]!)).join()})`)
        await run(`INSERT INTO ${table} (${columns.join()}) VALUES ${values.join()}`)
      }
    },
  }
}

function grants(kind: Kind, { username, password, pathname }: URL): string[] {
  if (kind === 'mysql') {
    return [
      `CREATE USER '${username}'@'%' IDENTIFIED BY '${password}'`,
      `GRANT SELECT ON ${pathname.slice(1)}.* TO '${username}'@'%'`,
    ]
  }
  return [
    `CREATE ROLE ${username} LOGIN PASSWORD '${password}'`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${username}`,
  ]
}

function literal(value: Value): string {
  if (value === null || typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}

function runOnPostgres(connectionString: string) {
  return async (...statements: string[]) => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    try {
      for (const each of statements) await client.query(each)
    } finally {
      await client.end()
    }
  }
}

function runOnMysql(url: string) {
  return async (...statements: string[]) => {
    const client = await createConnection(url)
    try {
      // As Traccar itself does; backslashes in JSON stay.
      await client.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'")
      for (const each of statements) await client.query(each)
    } finally {
      await client.end()
    }
  }
}
