import type { Disclosee } from '../../base/domain/credential.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Sql } from './sql.ts'

const ADD = `
  INSERT INTO disclosees (organization, recipient, purpose, created_at)
  VALUES ($1, $2, $3, $4) RETURNING id`

/** Returns the id of a new disclosee, or 0 if there is nothing to keep. */
export function* addDisclosee(
  sql: Sql,
  organization: number,
  { recipient, purpose }: Disclosee,
  now: number,
): Work<number> {
  if (recipient === null && purpose === null) return 0
  const values = [organization, recipient, purpose, now]
  return (yield* sql.one<{ id: number }>(ADD, values))!.id
}

/** The disclosee of a reader after a change: the same for the same words. */
export function* discloseeAfter(
  sql: Sql,
  organization: number,
  before: Disclosee & { disclosee: number },
  after: Disclosee,
  now: number,
): Work<number> {
  const isSame = after.recipient === before.recipient && after.purpose === before.purpose
  return isSame ? before.disclosee : yield* addDisclosee(sql, organization, after, now)
}

/** The words of a disclosee, whose id a column or a statement says. */
export function discloseeColumns(id: string): string {
  return ['recipient', 'purpose']
    .map((word) => `(SELECT ${word} FROM disclosees WHERE disclosees.id = ${id}) AS ${word}`)
    .join(', ')
}
