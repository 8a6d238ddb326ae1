import pg from 'pg'
import { type PulledSums, sumsOf, sumsQuery } from './pulled-sums.ts'

/** Counts and sums the tables of a pull. */
export async function postgresSums(database: string): Promise<PulledSums> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    const timeMs = 'extract(epoch FROM time_device) * 1000'
    const { rows } = await client.query(sumsQuery('positions', 'object_id', timeMs))
    return sumsOf(rows[0])
  } finally {
    await client.end()
  }
}
