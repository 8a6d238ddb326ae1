const SHORTEST_MS = 5_000
const LONGEST_MS = 3_600_000
/** Webhooks that failed together are not tried again together. */
const JITTER_SHARE = 0.1
export const LONGEST_PAUSE_MS = LONGEST_MS * (1 + JITTER_SHARE)

/**
 * The pause before the next try of a delivery that has failed for `failingMs`: as long again, from 5 seconds to an
 * hour. `random`: from 0 to 1.
 */
export function pauseAfter(failingMs: number, random: number = Math.random()): number {
  const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, failingMs))
  return Math.round(pause * (1 + JITTER_SHARE * random))
}
