import { setTimeout as pause } from 'node:timers/promises'
import { asUnavailable, isBusy } from './unavailable.ts'

/** How long a writer waits for its turn while others write. */
const WRITER_PATIENCE_MS = 30_000
const WRITER_PAUSE_MS = 3

/**
 * Repeats an action that needs a lock, while another connection holds it, without holding the event loop.
 */
export async function retryWhileBusy(attempt: () => void): Promise<void> {
  const giveUpAt = performance.now() + WRITER_PATIENCE_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw asUnavailable(error)
    }
    await pause(WRITER_PAUSE_MS)
  }
}
