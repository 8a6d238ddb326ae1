import type { DatabaseSync } from 'node:sqlite'
import { withReject } from '../folding/rejects.ts'
import type { RejectWrites } from '../folding/tables.ts'
import type { Reject } from '../store.ts'

/** The last rejected packets of each object, newest first. */
export function rejectRows(
  connection: DatabaseSync,
): RejectWrites & { list(organization: number, object: number): Reject[] } {
  const find = connection.prepare(
    'SELECT rejects FROM object_rejects WHERE organization = ? AND object = ?',
  )
  const save = connection.prepare(`
    INSERT INTO object_rejects VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET rejects = excluded.rejects
  `)
  function list(organization: number, object: number): Reject[] {
    const row = find.get(organization, object) as { rejects: string } | undefined
    return row === undefined ? [] : (JSON.parse(row.rejects) as Reject[])
  }
  return {
    list,
    add(organization, object, reject) {
      const rejects = withReject(list(organization, object), reject)
      save.run(organization, object, JSON.stringify(rejects))
    },
  }
}
