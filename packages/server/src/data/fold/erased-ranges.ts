import { joinedRanges } from '../../base/domain/time/ranges.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { FoldTarget } from '../../engine/tracking/fold-tables.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Dialect, Sql } from '../tables/sql.ts'

type Erased = Pick<FoldTarget, 'erased' | 'erasedValues'>
type Row = TimeRange & { object: number; attribute: string | null }

/** The erased ranges of those of some objects that have any, ascending and joined. The call sends the question. */
export function erasedRanges({ isIn, list }: Dialect) {
  const ranges = `
    SELECT object, from_time AS "from", to_time AS "to", nullif(attribute, '') AS attribute
    FROM erasures
    WHERE organization = $1 AND ${isIn('object', '$2')}`
  return (
    { all }: Sql,
    organization: number,
    objects: readonly number[],
  ): Work<Map<number, Erased>> =>
    byObject(all<Row>(ranges, [organization, list(objects as number[])]))
}

function* byObject(found: Work<Row[]>) {
  const rows = Map.groupBy(yield* found, ({ object }) => object)
  return new Map([...rows].map(([object, own]) => [object, erasedOf(own)]))
}

function erasedOf(rows: readonly Row[]): Erased {
  const erasedValues = new Map<string, TimeRange[]>()
  let erased: TimeRange[] = []
  for (const [attribute, own] of Map.groupBy(rows, (row) => row.attribute)) {
    if (attribute === null) erased = joinedRanges(own)
    else erasedValues.set(attribute, joinedRanges(own))
  }
  return { erased, erasedValues }
}
