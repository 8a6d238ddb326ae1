import type { RecordParts } from '../../tables/records.ts'
import { type Statement, statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import { ofAllOrganizations } from '../of-all-organizations.ts'
import { overlapping } from './overlapping.ts'
import { recordWrites } from './record-writes.ts'

const DUE = dueOf(() => 'true')
/** A Citus asks one worker. */
const DUE_OF_ONE = dueOf((column) => `${column} = $1`)

/** `only`: the condition on the column of an organization. */
function dueOf(only: (column: string) => string): Statement {
  return statement(`
    SELECT record_progress.organization FROM record_progress
    JOIN sequences ON sequences.organization = record_progress.organization
    JOIN organizations ON organizations.id = record_progress.organization
    WHERE sequences.logged > record_progress.seq AND ${only('record_progress.organization')}
    UNION
    SELECT record_tasks.organization FROM record_tasks
    JOIN organizations ON organizations.id = record_tasks.organization
    WHERE ${only('record_tasks.organization')}
    ORDER BY organization
  `)
}

export function recordParts(database: Database, isDistributed: boolean): RecordParts {
  return {
    overlapping,
    write: recordWrites(isDistributed),
    async due() {
      const rows = await ofAllOrganizations(
        database,
        () => database.query<{ organization: number }>(DUE),
        (organization) => database.query<{ organization: number }>(DUE_OF_ONE, [organization]),
      )
      return rows.map(({ organization }) => organization)
    },
  }
}
