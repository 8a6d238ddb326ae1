import type { Repeated, Wait } from '../../../packages/server/src/engine/repeat.ts'

/** Pauses within a pass of upkeep are shorter, and those between two passes longer. */
const LONGEST_PAUSE_MS = 100

/** Runs one pass of an hourly loop. `failed` ends it. */
export async function onePass(
  start: (failed: (error: unknown) => void, wait: Wait) => Repeated,
): Promise<void> {
  const passed = Promise.withResolvers<void>()
  const wait: Wait = (ms, signal) => {
    if (ms <= LONGEST_PAUSE_MS) return Promise.resolve()
    passed.resolve()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  const repeated = start(passed.reject, wait)
  await passed.promise
  await repeated.stop()
}
