import type { Clock } from '../domain/clock.ts'
import { DAY_MS } from '../domain/time.ts'

/** More than a clock gains by itself, or is set right by, between two looks. */
const LEAP_MS = 3_600_000
const US_PER_MS = 1_000

/**
 * The time of day for what cannot be undone, in milliseconds since the epoch. Where the clock was set
 * ahead by more than an hour since it was last looked at, it goes on as before, until it has stood so for
 * a day: time for somebody to notice.
 */
export function cautiousTime(clock: Clock): () => number {
  const monotonicMs = () => clock.monotonic() / US_PER_MS
  /** How far the time of day is ahead of the monotonic one, as it is gone by. */
  let aheadMs = clock.now() - monotonicMs()
  let leaptAt: number | undefined

  return () => {
    const monotonic = monotonicMs()
    const nowAheadMs = clock.now() - monotonic
    const isLeap = nowAheadMs - aheadMs > LEAP_MS
    leaptAt = isLeap ? (leaptAt ?? monotonic) : undefined
    if (leaptAt === undefined || monotonic - leaptAt >= DAY_MS) {
      aheadMs = nowAheadMs
      leaptAt = undefined
    }
    return Math.round(monotonic + aheadMs)
  }
}
