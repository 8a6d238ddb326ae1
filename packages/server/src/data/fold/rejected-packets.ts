import type { Reject } from '../../engine/tracking/fold-tables.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Dialect, Sql } from '../tables/sql.ts'

const REPLACE = 'ON CONFLICT (organization, object) DO UPDATE SET rejects = excluded.rejects'

/** The last rejected packets of each object, newest first. */
export function rejectRows({ isIn, list, rowWriter }: Dialect) {
  const listed = `
    SELECT object, rejects FROM object_rejects WHERE organization = $1 AND ${isIn('object', '$2')}`
  const write = rowWriter('object_rejects', { object: 'bigint', rejects: 'text' }, REPLACE)
  return {
    *listed({ all }: Sql, organization: number, objects: number[]): Work<Map<number, Reject[]>> {
      const values = [organization, list(objects)]
      const rows = yield* all<{ object: number; rejects: string }>(listed, values)
      return new Map(rows.map(({ object, rejects }) => [object, JSON.parse(rejects) as Reject[]]))
    },
    save(sql: Sql, organization: number, rows: readonly (readonly [number, Reject[]])[]): void {
      const texts = rows.map(([object, rejects]) => [object, JSON.stringify(rejects)])
      write(sql, organization, texts)
    },
  }
}
