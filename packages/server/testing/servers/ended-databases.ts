import pg from 'pg'

/** The name of a database of this process. */
export function databaseName(number: number): string {
  return `test_${process.pid}_${number}`
}

/**
 * Drops the databases of processes that have ended, on all servers of a Citus. Each takes some 100 MB, which are memory
 * where its folder is.
 */
export async function dropEndedDatabases(servers: readonly string[]): Promise<void> {
  for (const server of servers) {
    const client = new pg.Client(server)
    await client.connect()
    try {
      const { rows } = await client.query<{ name: string }>(
        `SELECT datname AS name FROM pg_database WHERE datname ~ '^test_[0-9]+_'`,
      )
      for (const { name } of rows) {
        if (!isRunning(Number(name.split('_')[1])))
          await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      }
    } finally {
      await client.end()
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
