import type { AuditEntry } from '../../domain/audit.ts'
import type { AuditStore } from '../audit-store.ts'
import { statement } from './connection/connections.ts'
import type { Database } from './database.ts'

const COLUMNS = 'id, at, actor, action, organization, target, name, changes'

const ADD = statement(`
  INSERT INTO audit_log (at, actor, action, organization, target, name, changes)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
`)
const OF_ALL = statement(`SELECT ${COLUMNS} FROM audit_log WHERE id < $1 ORDER BY id DESC LIMIT $2`)
/** The entries of organization $3. */
export const ENTRIES_OF_ONE = statement(`
  SELECT ${COLUMNS} FROM audit_log WHERE organization = $3 AND id < $1 ORDER BY id DESC LIMIT $2
`)

export function auditStore(database: Database): AuditStore {
  return {
    async add({ at, actor, action, organization, target, name, changes }) {
      const reported = changes === null ? null : JSON.stringify(changes)
      await database.run(ADD, [at, actor, action, organization, target, name, reported])
    },
    async list({ organization, before, limit }) {
      const page = [before ?? Number.MAX_SAFE_INTEGER, limit]
      const rows =
        organization === null
          ? await database.query<Row>(OF_ALL, page)
          : await database.query<Row>(ENTRIES_OF_ONE, [...page, organization])
      return rows.map(entryOf)
    },
  }
}

type Row = Omit<AuditEntry, 'changes'> & { changes: string | null }

function entryOf({ changes, ...rest }: Row): AuditEntry {
  return { ...rest, changes: changes === null ? null : JSON.parse(changes) }
}
