import { setTimeout as waitFor } from 'node:timers/promises'
import { StoreUnavailable } from './store/store.ts'

/*
 * This file runs background work: a task that repeats, its pauses, and the report of its failures.
 */

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

export async function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await waitFor(ms, undefined, { signal }).catch(() => undefined)
}

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

const REPORT_EVERY_MS = 60_000

/**
 * Reports a failure a minute: one may concern all organizations at once, and last. Outages of the store are all
 * reported, because the log counts them.
 */
export function thinnedFailures(report: (error: unknown) => void): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    const isCounted = error instanceof StoreUnavailable
    if (!isCounted && performance.now() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = performance.now()
    report(error)
  }
}
