import pg from 'pg'

const OBJECT_IN_USE = '55006'

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
        if (!isRunning(Number(name.split('_')[1]))) await dropUnlessInUse(client, name)
      }
    } finally {
      await client.end()
    }
  }
}

/** The upkeep of a Citus may use it for a moment. Then the next process drops it. */
async function dropUnlessInUse(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  } catch (error) {
    if ((error as pg.DatabaseError).code !== OBJECT_IN_USE) throw error
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
