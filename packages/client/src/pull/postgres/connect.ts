import type { Client } from 'pg'

/** A database, and the schema of its tables. */
export type DatabaseAddress = {
  /** For the driver, without our own parameters. */
  url: string
  /** Undefined: the first schema of the search path, which mostly is `public`. */
  schema: string | undefined
  /** How long to wait for another pull to end. Default: 30 seconds. */
  patience?: string
}

/** `postgres://user@host/database?schema=fleet`. Other parameters are for the driver. */
export function databaseAddress(written: string): DatabaseAddress {
  const url = new URL(written)
  const schema = url.searchParams.get('schema') ?? undefined
  url.searchParams.delete('schema')
  return { url: url.href, schema }
}

/** Opens a connection. Makes the schema if it is missing. */
export async function connect({ url, schema }: DatabaseAddress): Promise<Client> {
  const { default: pg } = await driver()
  const client = new pg.Client({
    connectionString: url,
    application_name: 'fleetgate pull',
    keepAlive: true,
  })
  // The statement that runs rejects as well.
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
    throw new Error('the database of --to returned an unexpected response', { cause })
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
