import { type Wait, waitUnlessAborted } from './wait.ts'

/** A loop that runs in a serving process. */
export type Repeated = {
  /** Runs the work at once, or again after the run under way. */
  hurry(): void
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
  let pause = new AbortController()
  let isHurried = false

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isHurried = false
      await work(signal).catch(failed)
      if (isHurried || signal.aborted) continue
      pause = new AbortController()
      await wait(everyMs, pause.signal)
    }
  }

  const running = run()
  return {
    hurry() {
      isHurried = true
      pause.abort()
    },
    stop() {
      stopping.abort()
      pause.abort()
      return running
    },
  }
}
