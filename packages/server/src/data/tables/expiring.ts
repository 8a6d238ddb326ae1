import type { Expiry } from '../../engine/store/position-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Sql } from './sql.ts'

const objectsAfter = (which: string) => `
  SELECT id, retention_days AS "retentionDays", updated_at AS "updatedAt" FROM objects
  WHERE organization = $1 AND id > $2 ${which} ORDER BY id LIMIT $3`
const ALL = objectsAfter('')
const WITH_THEIR_OWN = objectsAfter('AND retention_days IS NOT NULL')

type Retained = Parameters<Expiry>[0] & { id: number }

/** Objects by the moment before which they have expired, as far as they have one. `next`: null after the last objects. */
export type Expiring = {
  byMoment: ReadonlyMap<number, readonly number[]>
  next: number | null
}

/** Looks at the next objects of an organization above an id, at most `limit`. */
export function* expiringAfter(
  { all }: Sql,
  organization: number,
  before: Expiry,
  after: number,
  limit: number,
): Work<Expiring> {
  const ofAll = before({ retentionDays: null, updatedAt: 0 })
  const rows = yield* all<Retained>(ofAll > 0 ? ALL : WITH_THEIR_OWN, [organization, after, limit])
  const byMoment = new Map<number, number[]>()
  for (const row of rows) {
    const moment = before(row)
    if (moment <= 0) continue
    const objects = byMoment.get(moment) ?? []
    byMoment.set(moment, objects)
    objects.push(row.id)
  }
  return { byMoment, next: rows.length < limit ? null : rows.at(-1)!.id }
}
