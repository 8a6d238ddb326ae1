import { recordWithoutSignalSince } from '../../../server/src/base/domain/record.ts'
import type { OrganizationSummary, Stop, Trip } from '../api/types.ts'
import { t } from '../language/text.ts'
import { duration } from '../ui/time/duration.ts'

/** A silent trip has a place where it started and one where it ended, and nothing between. Null: it is not silent. */
export function silenceOf({ silent_time }: Trip): string | null {
  if (silent_time === 0) return null
  return t('Signal lost for {{time}}', { time: duration(silent_time * 1_000) })
}

/** Since when a trip or stop that goes on has had no signal. Null: it has ended, or the vehicle still sends. */
export function lostSince(
  row: Trip | Stop,
  { signal_timeout_hours: hours }: OrganizationSummary,
): string | null {
  return recordWithoutSignalSince(row, Date.now(), hours)
}
