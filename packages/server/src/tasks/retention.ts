import { purgeableBefore } from '../domain/organization.ts'
import type { Clock } from '../domain/time/time.ts'
import type { Store } from '../store/store.ts'
import { cautiousTime } from './cautious-time.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

const EVERY_MS = 3_600_000
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PAUSE_MS = 20

/**
 * Deletes expired positions, records and kept days of coverage, at once and every hour. If the store fails, the
 * next hour tries again; `failed` gets the error. A clock that jumps far ahead deletes nothing for a day.
 */
export function startRetention(
  store: Store,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const time = cautiousTime(clock)

  async function purge(
    { purgeExpired }: Pick<Store['positions'], 'purgeExpired'>,
    id: number,
    signal: AbortSignal,
  ): Promise<void> {
    for (let next: number | null = 0; next !== null && !signal.aborted; ) {
      // The operator may have corrected the retention since the slice before.
      const organization = await store.organizations.find(id)
      const before = organization === null ? 0 : purgeableBefore(organization, time())
      if (before <= 0) return
      next = await purgeExpired(id, before, next, failed)
      await wait(PAUSE_MS, signal)
    }
  }

  async function purgeAll(signal: AbortSignal): Promise<void> {
    await store.positions.makeRoom(clock.now(), signal).catch(failed)
    for (const { id } of await store.organizations.list()) {
      await purge(store.positions, id, signal)
      await purge(store.records, id, signal)
      await purge(store.coverage, id, signal)
    }
  }
  return repeat(purgeAll, EVERY_MS, failed, wait)
}
