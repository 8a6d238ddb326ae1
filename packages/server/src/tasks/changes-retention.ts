import { type Clock, DAY_MS } from '../domain/time/time.ts'
import type { ChangeLogStore } from '../store/change-log.ts'
import { cautiousTime } from './cautious-time.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

const EVERY_MS = 3_600_000
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PAUSE_MS = 20

/**
 * Deletes changes that are older than `days` from the log, at once and every hour, in slices. If the store
 * fails, the next hour tries again; `failed` gets the error. A clock that jumps far ahead deletes nothing
 * for a day.
 */
export function startChangesRetention(
  changeLog: Pick<ChangeLogStore, 'purge'>,
  days: number,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const time = cautiousTime(clock)

  async function purge(signal: AbortSignal): Promise<void> {
    const before = time() - days * DAY_MS
    while (!signal.aborted && (await changeLog.purge(before))) await wait(PAUSE_MS, signal)
  }
  return repeat(purge, EVERY_MS, failed, wait)
}
