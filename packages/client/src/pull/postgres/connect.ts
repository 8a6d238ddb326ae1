import type { Client } from 'pg'

/** A database, and the schema that has the tables. */
export type DatabaseAddress = {
  /** The connection string for the driver, without our own parameters. */
  url: string
  /** Undefined: the first schema of the search path, usually `public`. */
  schema: string | undefined
  /** How long to wait for another pull to end. Default: 30 seconds. */
  lockTimeout?: string
}

/** `postgres://user@host/database?schema=fleet`. Other parameters are for the driver. */
export function databaseAddress(written: string): DatabaseAddress {
  const url = new URL(written)
  const schema = url.searchParams.get('schema') ?? undefined
  url.searchParams.delete('schema')
  return { url: url.href, schema }
}

/** Opens a connection. Creates the schema if it does not exist. */
export async function connect({ url, schema }: DatabaseAddress): Promise<Client> {
  const { default: pg } = await driver()
  const client = new pg.Client({
    connectionString: url,
    application_name: 'fleetgate pull',
    keepAlive: true,
  })
  // The running statement rejects too. Without a listener, this event would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query("SET TIME ZONE 'UTC'")
    if (schema !== undefined) {
      const name = client.escapeIdentifier(schema)
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`)
      await client.query(`SET search_path TO ${name}`)
    }
  } catch (cause) {
    await client.end().catch(() => {})
    throw new Error('cannot open the database of --to', { cause })
  }
  return client
}

async function driver(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (cause) {
    throw new Error('PostgreSQL requires the package pg: run npm install pg', { cause })
  }
}
