import { setTimeout as waitFor } from 'node:timers/promises'

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

export async function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await waitFor(ms, undefined, { signal }).catch(() => undefined)
}
