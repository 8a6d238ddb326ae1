import type { AuditEntry, NewAuditEntry } from '../../domain/audit.ts'
import type { Work } from '../../tracking/work.ts'
import type { AuditStore, Note } from '../audit-store.ts'
import type { Sql, Tables } from './sql.ts'

const COLUMNS = 'id, at, actor, action, organization, target, name, changes'
const ADD = `
  INSERT INTO audit_log (at, actor, action, organization, target, name, changes)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  RETURNING id`
const CHANGE = 'UPDATE audit_log SET changes = $2 WHERE id = $1'
const OF_ALL = `SELECT ${COLUMNS} FROM audit_log WHERE id < $1 ORDER BY id DESC LIMIT $2`
/** The entries of organization $3. */
export const ENTRIES_OF_ONE = `
  SELECT ${COLUMNS} FROM audit_log WHERE organization = $3 AND id < $1 ORDER BY id DESC LIMIT $2`

/** Adds the entries of a note in the transaction of the write, and returns the result of the write. */
export function* noted<Result, Before>(
  { one, run }: Sql,
  result: Result,
  note: Note<Result, Before> | undefined,
  before?: Before,
): Work<Result> {
  for (const entry of note?.(result, before!) ?? []) {
    if (entry.id !== undefined) run(CHANGE, [entry.id, packed(entry.changes)])
    else entry.id = (yield* one<{ id: number }>(ADD, valuesOf(entry)))!.id
  }
  return result
}

export function auditStore({ read, write }: Tables): AuditStore {
  return {
    async add(entry) {
      await write(({ one }) => one(ADD, valuesOf(entry)))
    },
    async list({ organization, before, limit }) {
      const page = [before ?? Number.MAX_SAFE_INTEGER, limit]
      const rows = await read(({ all }) =>
        organization === null
          ? all<Row>(OF_ALL, page)
          : all<Row>(ENTRIES_OF_ONE, [...page, organization]),
      )
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
