import type { Clock } from '../domain/clock.ts'
import { purgeableBefore } from '../domain/retention.ts'
import type { Store } from '../store/store.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

const EVERY_MS = 3_600_000
/** Between slices of some milliseconds, so that requests and packets have most of the time. */
const PAUSE_MS = 20

/**
 * Deletes what organizations no longer want to keep: at once, and every hour. A store that fails
 * is asked again with the next hour; `failed` hears why.
 */
export function keepRetention(
  store: Store,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  async function purgeAll(signal: AbortSignal): Promise<void> {
    for (const organization of await store.organizations.list()) {
      const before = purgeableBefore(organization, clock.now())
      for (let next: number | null = before > 0 ? 0 : null; next !== null; ) {
        if (signal.aborted) return
        next = await store.positions.purgeExpired(organization.id, before, next)
        await wait(PAUSE_MS, signal)
      }
    }
  }
  return repeat(purgeAll, EVERY_MS, failed, wait)
}
