import pg from 'pg'

type Row = Record<string, unknown>

/** The rows of the answer to a statement in a session of its own. */
export async function askPostgres<Found extends object = Row>(
  connectionString: string,
  text: string,
): Promise<Found[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return (await client.query<Found>(text).finally(() => client.end())).rows
}
