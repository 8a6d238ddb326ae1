import { createConnection, type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'

/** The work of a database for one of its users. */
export type SourceLoad = {
  statements: number
  /** Rows that were sent, and rows that were read for them. MariaDB counts entries of an index too, PostgreSQL only those with a row. */
  sent: number
  read: number
  /** Seconds in which the database was at work on statements. */
  seconds: number
}

/** Counts from now on. `url`: as the owner. PostgreSQL has to preload `pg_stat_statements`. */
export async function openSourceLoad(
  isMariadb: boolean,
  url: string,
  reader: string,
): Promise<() => Promise<SourceLoad>> {
  const ask = isMariadb ? askMariadb(url) : askPostgres(url)
  if (isMariadb) await ask('SET GLOBAL userstat = 1', 'FLUSH USER_STATISTICS')
  else {
    await ask('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    await ask('SELECT pg_stat_statements_reset()', 'SELECT pg_stat_reset()')
  }
  const counted = isMariadb
    ? `SELECT select_commands + other_commands AS statements, rows_sent AS sent, rows_read AS 'read', busy_time AS seconds
        FROM information_schema.user_statistics WHERE user = '${reader}'`
    : `SELECT SUM(calls) AS statements, SUM(rows) AS sent, SUM(total_exec_time) / 1000 AS seconds,
          (SELECT SUM(COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0)) FROM pg_stat_user_tables) AS read
        FROM pg_stat_statements WHERE userid = '${reader}'::regrole`
  return async () => {
    const row = await ask(counted)
    return {
      statements: Number(row.statements),
      sent: Number(row.sent),
      read: Number(row.read),
      seconds: Number(row.seconds),
    }
  }
}

type Ask = (...statements: string[]) => Promise<Record<string, unknown>>

function askPostgres(connectionString: string): Ask {
  return async (...statements) => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    let first = {}
    for (const each of statements) first = (await client.query(each)).rows[0]
    await client.end()
    return first
  }
}

function askMariadb(url: string): Ask {
  return async (...statements) => {
    const client = await createConnection(url)
    let first = {}
    for (const each of statements) {
      const [rows] = await client.query<RowDataPacket[]>(each)
      first = rows[0] ?? {}
    }
    await client.end()
    return first
  }
}
