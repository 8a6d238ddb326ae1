import type { Clock } from '../domain/time/clock.ts'
import { PACK_AFTER_MS, type Store } from '../store/store.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

export function packableBefore(clock: Clock): number {
  return clock.now() - PACK_AFTER_MS
}

const EVERY_MS = 3_600_000
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PAUSE_MS = 20

/**
 * Packs the positions of all organizations that are older than two days, at once and every hour. If the store fails, the
 * next hour tries again; `failed` gets the error.
 */
export function startPacking(
  store: Store,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  async function packAll(signal: AbortSignal): Promise<void> {
    for (const { id } of await store.organizations.list()) {
      for (let next: number | null = 0; next !== null && !signal.aborted; ) {
        const slice = await store.positions.pack(id, packableBefore(clock), next)
        if (slice.failure !== undefined) failed(slice.failure)
        next = slice.next
        await wait(PAUSE_MS, signal)
      }
    }
  }
  return repeat(packAll, EVERY_MS, failed, wait)
}
