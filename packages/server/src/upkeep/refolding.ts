import type { Tracking } from '../domain/track.ts'
import type { Store } from '../store/store.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

/** How often it is looked whether there is something to do: a microsecond's read. */
const EVERY_MS = 500
/** Between slices of some milliseconds, so that requests and packets have most of the time. */
const PAUSE_MS = 5

/**
 * Folds positions anew where that was requested, or where a late fix has changed more than could be
 * done at once. A store that fails is asked again; `failed` hears why.
 */
export function keepRefolding(
  store: Store,
  tracking: Tracking,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  async function refoldAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.positions.refold(null, tracking)) !== null) {
      await wait(PAUSE_MS, signal)
    }
  }
  return repeat(refoldAll, EVERY_MS, failed, wait)
}
