import type { Expiry } from '../../engine/store/position-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Sql } from './sql.ts'

const objectsAfter = (which: string) => `
  SELECT id, retention_days AS "retentionDays", updated_at AS "updatedAt" FROM objects
  WHERE organization = $1 AND id > $2 ${which} ORDER BY id LIMIT $3`
const ALL = objectsAfter('')
const WITH_THEIR_OWN = objectsAfter('AND retention_days IS NOT NULL')

type Retained = Parameters<Expiry>[0] & { id: number }

/** The objects of one moment before which what they have is expired. */
export type Expiring = { before: number; objects: readonly number[] }

/** Looks at the next objects of an organization above an id, at most `limit`. `next`: null after the last ones. */
export function* expiringAfter(
  { all }: Sql,
  organization: number,
  before: Expiry,
  after: number,
  limit: number,
): Work<{ expiring: Expiring[]; next: number | null }> {
  const ofAll = before({ retentionDays: null, updatedAt: 0 })
  const rows = yield* all<Retained>(ofAll > 0 ? ALL : WITH_THEIR_OWN, [organization, after, limit])
  const expiring = byMoment(rows.map((row) => ({ id: row.id, before: before(row) })))
  return {
    expiring: expiring.filter(({ before }) => before > 0),
    next: rows.length < limit ? null : rows.at(-1)!.id,
  }
}

export function byMoment(objects: readonly { id: number; before: number }[]): Expiring[] {
  return Array.from(
    Map.groupBy(objects, ({ before }) => before),
    ([before, same]) => ({ before, objects: same.map(({ id }) => id) }),
  )
}
