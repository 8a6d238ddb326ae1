import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { formatDate, formatInstant } from '../../domain/time/time.ts'
import { NO_DIGEST } from '../../reports/coverage/day-sum.ts'
import type { CoverageDay } from '../../reports/coverage/read-coverage.ts'
import type { Row } from './formats/row-form.ts'
import { seconds } from './numbers.ts'

/** A day of an object as a row, with the documented fields in the documented order. */
export function coverageRow(
  { object, day, content, rejected, changedAt }: CoverageDay,
  { ident, name }: Pick<MonitoredObject, 'ident' | 'name'>,
): Row {
  return {
    ...{ object_id: object, ident, name },
    date: formatDate(day),
    positions: content?.positions ?? 0,
    first_time: content && formatInstant(content.first),
    last_time: content && formatInstant(content.last),
    longest_gap: content && seconds(content.longestGap),
    late: content?.late ?? 0,
    worst_lateness: content && seconds(content.worstLateness),
    rejected,
    changed_at: changedAt === null ? null : formatInstant(changedAt),
    digest: content?.digest ?? NO_DIGEST,
    counters_digest: content?.countersDigest ?? NO_DIGEST,
  }
}
