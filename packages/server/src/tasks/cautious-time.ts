import { type Clock, DAY_MS } from '../domain/time/time.ts'

/** A clock does not drift or get corrected by more than this between two looks. */
const LEAP_MS = 3_600_000
const US_PER_MS = 1_000

/**
 * The time of day for actions that cannot be undone, in milliseconds since the epoch. If the clock jumps
 * ahead by more than an hour between two looks, this clock goes on as before for a day, so that somebody
 * can notice.
 */
export function cautiousTime(clock: Clock): () => number {
  const monotonicMs = () => clock.monotonic() / US_PER_MS
  /** How far this clock is ahead of the monotonic one. */
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
