import type { AuditEntry } from '../../domain/audit.ts'
import type { AuditStore } from '../audit-store.ts'
import type { Database } from './database/database.ts'

const COLUMNS = 'id, at, actor, action, organization, target, name, changes'

/** The entries of an organization older than an id, at most as many as wanted. */
export const ENTRIES_OF_ONE = `
  SELECT ${COLUMNS} FROM audit_log WHERE organization = ? AND id < ? ORDER BY id DESC LIMIT ?`

export function auditStore(database: Database): AuditStore {
  const { reader, writer } = database
  const ofAll = reader.prepare(
    `SELECT ${COLUMNS} FROM audit_log WHERE id < ? ORDER BY id DESC LIMIT ?`,
  )
  const ofOne = reader.prepare(ENTRIES_OF_ONE)
  const insert = writer.prepare(`
    INSERT INTO audit_log (at, actor, action, organization, target, name, changes)
    VALUES (?, ?, ?, ?, ?, ?, ?)
  `)

  return {
    add: ({ at, actor, action, organization, target, name, changes }) =>
      database.write(() => {
        const reported = changes === null ? null : JSON.stringify(changes)
        insert.run(at, actor, action, organization, target, name, reported)
      }),
    async list({ organization, before, limit }) {
      const end = before ?? Number.MAX_SAFE_INTEGER
      return database.read(() => {
        const rows =
          organization === null ? ofAll.all(end, limit) : ofOne.all(organization, end, limit)
        return rows.map((row) => entryOf(row as Row))
      })
    },
  }
}

type Row = Omit<AuditEntry, 'changes'> & { changes: string | null }

function entryOf({ changes, ...rest }: Row): AuditEntry {
  return { ...rest, changes: changes === null ? null : JSON.parse(changes) }
}
