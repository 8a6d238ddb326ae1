import { type Clock, utcDay } from '../domain/time/time.ts'
import type { UsageStore } from '../store/audit-store.ts'
import { cautiousTime } from './cautious-time.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

const EVERY_MS = 3_600_000
/** A year and a month, so that this month can be compared with the same month last year. */
const KEPT_DAYS = 400

/** Deletes old counts of usage and disclosure. A clock that jumps far ahead deletes nothing for a day. */
export function startUsageRetention(
  counts: readonly Pick<UsageStore, 'purge'>[],
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const time = cautiousTime(clock)
  const purge = async () => {
    const before = utcDay(time()) - KEPT_DAYS
    for (const each of counts) await each.purge(before)
  }
  return repeat(purge, EVERY_MS, failed, wait)
}
