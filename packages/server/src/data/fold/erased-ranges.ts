import { joinedRanges } from '../../base/domain/time/ranges.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { Dialect, Sql } from '../tables/sql.ts'

/** The erased ranges of those of some objects that have any, ascending and joined. The call sends the question. */
export function erasedRanges({ isIn, list }: Dialect) {
  const ranges = `
    SELECT object, from_time AS "from", to_time AS "to" FROM erasures
    WHERE organization = $1 AND ${isIn('object', '$2')}`
  return (
    { all }: Sql,
    organization: number,
    objects: readonly number[],
  ): Work<Map<number, TimeRange[]>> =>
    byObject(all<TimeRange & { object: number }>(ranges, [organization, list(objects as number[])]))
}

function* byObject(found: Work<(TimeRange & { object: number })[]>) {
  const ranges = Map.groupBy(yield* found, ({ object }) => object)
  return new Map([...ranges].map(([object, own]) => [object, joinedRanges(own)]))
}
