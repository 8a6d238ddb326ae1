import type { Clock } from '../domain/time/clock.ts'

const MINUTE_US = 60_000_000
/** Lines of one address in a minute. Beyond that only every 100th is logged. */
const LOGGED = 100
const THINNED_TO_EVERY = 100
/** Addresses counted separately in a minute. More of them belong to one network, and are counted together. */
const MAX_ADDRESSES = 10_000
/** All other addresses together. */
const OTHERS = 'others'

/** Whether a line about an address must be dropped. Each call counts as one line. */
export function thinning(clock: Clock): (address: string) => boolean {
  let lines = new Map<string, number>()
  let minuteUs = clock.monotonic()

  return (address) => {
    const nowUs = clock.monotonic()
    if (nowUs - minuteUs >= MINUTE_US) {
      lines = new Map()
      minuteUs = nowUs
    }
    const isKnown = lines.size < MAX_ADDRESSES || lines.has(address)
    const counted = isKnown ? address : OTHERS
    const count = (lines.get(counted) ?? 0) + 1
    lines.set(counted, count)
    return count > LOGGED && count % THINNED_TO_EVERY !== 0
  }
}
