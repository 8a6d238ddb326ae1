import type { Grant, KeptGrant } from '../../domain/credential.ts'
import type { Work } from '../../tracking/work.ts'
import type { Sql } from './sql.ts'

const ADD = `
  INSERT INTO grants (organization, recipient, purpose, granted_at)
  VALUES ($1, $2, $3, $4) RETURNING id`
const LIST = 'SELECT id, recipient, purpose FROM grants WHERE organization = $1 ORDER BY id'

/** Returns the id of a new grant, or 0 if there is nothing to keep. */
export function* addGrant(
  sql: Sql,
  organization: number,
  { recipient, purpose }: Grant,
  now: number,
): Work<number> {
  if (recipient === null && purpose === null) return 0
  const values = [organization, recipient, purpose, now]
  return (yield* sql.one<{ id: number }>(ADD, values))!.id
}

/** By id, ascending. */
export function* grantsOf(sql: Sql, organization: number): Work<KeptGrant[]> {
  const rows = yield* sql.all<KeptGrant>(LIST, [organization])
  return rows.map((row) => ({ ...row }))
}
