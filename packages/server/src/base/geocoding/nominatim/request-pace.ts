import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../domain/time/time.ts'

/** Resolves after `ms` milliseconds. Rejects when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

export const systemWait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal })

/** When requests to one server may start. */
type Pace = {
  /** Waits until the next request may start, and counts it as started. One caller at a time. */
  turn(signal: AbortSignal): Promise<void>
  succeeded(): void
  /** Delays the next request for as long as the server asked, or else longer after each failure. */
  failed(retryAfterMs: number | null): void
}

const MAX_BACKOFF_MS = 5 * 60_000
/** The longest wait that a server may ask for. A timer can count it. */
const MAX_PAUSE_MS = 24 * 3_600_000

export function openPace(intervalMs: number, clock: Clock, wait: Wait): Pace {
  let nextAtUs = clock.monotonic()
  let failures = 0

  return {
    async turn(signal) {
      for (;;) {
        signal.throwIfAborted()
        const leftUs = nextAtUs - clock.monotonic()
        if (leftUs <= 0) break
        await wait(Math.ceil(leftUs / 1000), signal)
      }
      nextAtUs = clock.monotonic() + intervalMs * 1000
    },
    succeeded() {
      failures = 0
    },
    failed(retryAfterMs) {
      failures += 1
      const backoffMs = Math.min(1000 * 2 ** failures, MAX_BACKOFF_MS)
      const pauseMs = Math.min(retryAfterMs ?? backoffMs, MAX_PAUSE_MS)
      nextAtUs = Math.max(nextAtUs, clock.monotonic() + pauseMs * 1000)
    },
  }
}

/** `Retry-After` in milliseconds from `now`: seconds or an HTTP date (RFC 9110, 10.2.3). */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header)) return Number(header) * 1000
  // `Date.parse` alone would also take '-5' for a year.
  const date = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
