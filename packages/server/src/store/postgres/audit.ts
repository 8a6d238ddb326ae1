import type { AuditEntry, NewAuditEntry } from '../../domain/audit.ts'
import type { AuditStore, Note } from '../audit-store.ts'
import { statement } from './connection/connections.ts'
import type { Connection, Database } from './database.ts'

const COLUMNS = 'id, at, actor, action, organization, target, name, changes'

const ADD = statement(`
  INSERT INTO audit_log (at, actor, action, organization, target, name, changes)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  RETURNING id
`)
const CHANGE = statement('UPDATE audit_log SET changes = $2 WHERE id = $1')
const OF_ALL = statement(`SELECT ${COLUMNS} FROM audit_log WHERE id < $1 ORDER BY id DESC LIMIT $2`)
/** The entries of organization $3. */
export const ENTRIES_OF_ONE = statement(`
  SELECT ${COLUMNS} FROM audit_log WHERE organization = $3 AND id < $1 ORDER BY id DESC LIMIT $2
`)

/** Adds the entries of a note in the transaction of the write, and returns the result of the write. */
export async function noted<Result, Before>(
  { query, run }: Connection,
  result: Result,
  note: Note<Result, Before> | undefined,
  before?: Before,
): Promise<Result> {
  for (const entry of note?.(result, before!) ?? []) {
    if (entry.id !== undefined) run(CHANGE, [entry.id, packed(entry.changes)])
    else entry.id = (await query<{ id: number }>(ADD, valuesOf(entry)))[0]!.id
  }
  return result
}

export function auditStore(database: Database): AuditStore {
  return {
    async add(entry) {
      await database.run(ADD, valuesOf(entry))
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
