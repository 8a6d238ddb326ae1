import { type Statement, statement } from './connection/connections.ts'
import { isWorkerDown } from './connection/unavailable.ts'
import type { Connection } from './database.ts'

const ORGANIZATIONS = statement('SELECT id FROM organizations ORDER BY id')

/** A statement for all organizations, and the same one for organization `$1`. */
type Question = { all: Statement; one: Statement }

/** `text` gets the condition by which a column names an organization that is asked about. */
export function questionOf(text: (isAsked: (column: string) => string) => string): Question {
  return {
    all: statement(text(() => 'true')),
    one: statement(text((column) => `${column} = $1`)),
  }
}

/** The rows of all organizations. While a worker of a Citus is down, those of organizations on the others. */
export async function ofAllOrganizations<Row extends object>(
  connection: Connection,
  { all, one }: Question,
): Promise<Row[]> {
  try {
    return await connection.query<Row>(all)
  } catch (error) {
    if (!isWorkerDown(error)) throw error
  }
  const organizations = await connection.query<{ id: number }>(ORGANIZATIONS)
  const each = await Promise.allSettled(
    organizations.map(({ id }) => connection.query<Row>(one, [id])),
  )
  return each.flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
}
