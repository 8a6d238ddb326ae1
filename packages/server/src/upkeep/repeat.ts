import { type Wait, waitUnlessAborted } from './wait.ts'

/** A loop that runs in a serving process. */
export type Repeated = {
  /** Ends the loop after the run under way. */
  stop(): Promise<void>
}

/**
 * Runs some work at once, and again `ms` after each run. Failed work is tried again at the next run;
 * `failed` gets the error.
 */
export function repeat(
  work: (signal: AbortSignal) => Promise<void>,
  everyMs: number,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await work(signal).catch(failed)
      await wait(everyMs, signal)
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
