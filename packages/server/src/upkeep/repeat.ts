import { type Wait, waitUnlessAborted } from './wait.ts'

/** What a serving process does by itself, over and over. */
export type Repeated = {
  /** Ends after what is at work just then. */
  stop(): Promise<void>
}

/**
 * Does some work at once, and again so many milliseconds after each time. Work that fails is tried
 * again with the next time; `failed` hears why.
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
