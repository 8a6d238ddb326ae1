import type { Work } from '../../tracking/work.ts'
import type { Sql } from './sql.ts'

const OBJECTS_AFTER = `
  SELECT id FROM objects WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`

/** The ids of the next objects of an organization above an id, ascending. */
export function* objectsAfter(
  { all }: Sql,
  organization: number,
  after: number,
  limit: number,
): Work<number[]> {
  const rows = yield* all<{ id: number }>(OBJECTS_AFTER, [organization, after, limit])
  return rows.map(({ id }) => id)
}
