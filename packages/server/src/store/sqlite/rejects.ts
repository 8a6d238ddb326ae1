import type { DatabaseSync } from 'node:sqlite'
import type { Reject } from '../store.ts'

/** How many are kept of each object. */
const KEPT = 10

/** The last packets of each object that were not accepted, the newest first. */
export function rejectRows(connection: DatabaseSync) {
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
    add(organization: number, object: number, reject: Reject): void {
      const rejects = [reject, ...list(organization, object)].slice(0, KEPT)
      save.run(organization, object, JSON.stringify(rejects))
    },
  }
}
