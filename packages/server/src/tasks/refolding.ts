import type { FoldRules } from '../domain/position/fold-state.ts'
import type { Store } from '../store/store.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

/** How often the loop looks for work. A look takes about 1 µs. */
const EVERY_MS = 500
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PAUSE_MS = 5

/**
 * Folds positions again, on request or after a late fix that changed too much at once. A store that fails
 * is asked again; `failed` gets the error.
 */
export function startRefolding(
  store: Store,
  rules: FoldRules,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  async function refoldAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.positions.refold(null, rules)) !== null) {
      await wait(PAUSE_MS, signal)
    }
  }
  return repeat(refoldAll, EVERY_MS, failed, wait)
}
