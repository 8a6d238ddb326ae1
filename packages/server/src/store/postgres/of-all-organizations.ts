import { statement } from './connection/connections.ts'
import { isWorkerDown } from './connection/unavailable.ts'
import type { Connection } from './database.ts'

const ORGANIZATIONS = statement('SELECT id FROM organizations ORDER BY id')
/** Each question to a worker that is down may take some seconds, and hold a connection meanwhile. */
const ASKING_MS = 1_000

/**
 * The rows of `all`. While a worker of a Citus is down, those of `one` of some organizations on the others: as many as
 * can be asked in a second, one after the other, beginning with any.
 */
export async function ofAllOrganizations<Row>(
  connection: Connection,
  all: () => Promise<Row[]>,
  one: (organization: number) => Promise<Row[]>,
): Promise<Row[]> {
  try {
    return await all()
  } catch (error) {
    if (!isWorkerDown(error)) throw error
  }
  const found: Row[] = []
  const organizations = await connection.query<{ id: number }>(ORGANIZATIONS)
  const until = performance.now() + ASKING_MS
  const begin = Math.floor(performance.now()) % Math.max(1, organizations.length)
  for (const { id } of [...organizations.slice(begin), ...organizations.slice(0, begin)]) {
    if (performance.now() > until) break
    try {
      for (const row of await one(id)) found.push(row)
    } catch (error) {
      if (!isWorkerDown(error)) throw error
    }
  }
  return found
}
