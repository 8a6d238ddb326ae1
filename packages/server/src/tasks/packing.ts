import type { Clock } from '../domain/time/time.ts'
import { PACK_AFTER_MS, type PackingCounts } from '../store/position-store.ts'
import type { Store } from '../store/store.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

export function packableBefore(clock: Clock): number {
  return clock.now() - PACK_AFTER_MS
}

const EVERY_MS = 3_600_000
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PAUSE_MS = 20

/** A whole pass over all organizations. */
export type PackingPass = {
  /** The counts of each organization after it, by id. */
  counts: ReadonlyMap<number, PackingCounts>
  /** Objects that could not be packed. */
  failures: number
  /** Microseconds, and milliseconds since the epoch. */
  durationUs: number
  endedAt: number
}

/**
 * Packs the positions of all organizations that are older than two days, at once and every hour. If the store fails, the
 * next hour tries again; `failed` gets the error. `passed` gets each whole pass.
 */
export function startPacking(
  store: Store,
  clock: Clock,
  passed: (pass: PackingPass) => void,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  /** Returns the number of failures. */
  async function pack(organization: number, signal: AbortSignal): Promise<number> {
    let failures = 0
    for (let next: number | null = 0; next !== null && !signal.aborted; ) {
      const slice = await store.positions.pack(organization, packableBefore(clock), next)
      if (slice.failure !== undefined) {
        failures += 1
        failed(slice.failure)
      }
      next = slice.next
      await wait(PAUSE_MS, signal)
    }
    return failures
  }

  async function packAll(signal: AbortSignal): Promise<void> {
    const beganUs = clock.monotonic()
    const counts = new Map<number, PackingCounts>()
    let failures = 0
    for (const { id } of await store.organizations.list()) {
      failures += await pack(id, signal)
      if (signal.aborted) return
      counts.set(id, await store.positions.packingCounts(id, packableBefore(clock)))
    }
    passed({ counts, failures, durationUs: clock.monotonic() - beganUs, endedAt: clock.now() })
  }
  return repeat(packAll, EVERY_MS, failed, wait)
}
