import type { AuditEntry, NewAuditEntry } from '../../domain/audit.ts'
import type { AuditStore, Note } from '../audit-store.ts'
import type { Database } from './database/database.ts'

const INSERT = `
  INSERT INTO audit_log (at, actor, action, organization, target, name, changes)
  VALUES (?, ?, ?, ?, ?, ?, ?)`
const COLUMNS = 'id, at, actor, action, organization, target, name, changes'

/** The entries of an organization older than an id, at most as many as wanted. */
export const ENTRIES_OF_ONE = `
  SELECT ${COLUMNS} FROM audit_log WHERE organization = ? AND id < ? ORDER BY id DESC LIMIT ?`

/** Adds the entries of a note in the transaction of the write, and returns the result of the write. */
export type Noted = <Result, Before>(
  result: Result,
  note: Note<Result, Before> | undefined,
  before?: Before,
) => Result

export function notedWrites({ writer }: Database): Noted {
  const insert = writer.prepare(INSERT)
  const change = writer.prepare('UPDATE audit_log SET changes = ? WHERE id = ?')
  return (result, note, before) => {
    for (const entry of note?.(result, before!) ?? []) {
      if (entry.id !== undefined) change.run(packed(entry.changes), entry.id)
      else entry.id = Number(insert.run(...valuesOf(entry)).lastInsertRowid)
    }
    return result
  }
}

export function auditStore(database: Database): AuditStore {
  const { reader, writer } = database
  const ofAll = reader.prepare(
    `SELECT ${COLUMNS} FROM audit_log WHERE id < ? ORDER BY id DESC LIMIT ?`,
  )
  const ofOne = reader.prepare(ENTRIES_OF_ONE)
  const insert = writer.prepare(INSERT)

  return {
    add: (entry) =>
      database.write(() => {
        insert.run(...valuesOf(entry))
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

function valuesOf({ at, actor, action, organization, target, name, changes }: NewAuditEntry) {
  return [at, actor, action, organization, target, name, packed(changes)]
}

function packed(changes: AuditEntry['changes']): string | null {
  return changes === null ? null : JSON.stringify(changes)
}

type Row = Omit<AuditEntry, 'changes'> & { changes: string | null }

function entryOf({ changes, ...rest }: Row): AuditEntry {
  return { ...rest, changes: changes === null ? null : JSON.parse(changes) }
}
