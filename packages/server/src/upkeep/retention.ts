import type { Clock } from '../domain/clock.ts'
import { purgeableBefore } from '../domain/retention.ts'
import type { Store } from '../store/store.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

const EVERY_MS = 3_600_000
/** Between slices of some milliseconds, so that requests and packets have most of the time. */
const PAUSE_MS = 20

export type Retention = {
  /** Ends after the slice at work. */
  stop(): Promise<void>
}

/**
 * Deletes what organizations no longer want to keep: at once, and every hour. A store that fails
 * is asked again with the next hour; `failed` hears why.
 */
export function keepRetention(
  store: Store,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Retention {
  const stopping = new AbortController()
  const { signal } = stopping

  async function purgeAll(): Promise<void> {
    for (const organization of await store.organizations.list()) {
      const before = purgeableBefore(organization, clock.now())
      for (let next: number | null = before > 0 ? 0 : null; next !== null; ) {
        if (signal.aborted) return
        next = await store.positions.purgeExpired(organization.id, before, next)
        await wait(PAUSE_MS, signal)
      }
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await purgeAll().catch(failed)
      await wait(EVERY_MS, signal)
    }
  }

  const running = run()
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}
