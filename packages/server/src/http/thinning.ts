import type { Clock } from '../domain/clock.ts'

const MINUTE_US = 60_000_000
/** Lines of one address in a minute, beyond which only every 100th is logged. */
const LOGGED = 100
const THINNED_TO_EVERY = 100

/** Whether a line about an address is one too many; each call counts as one. */
export function thinning(clock: Clock): (address: string) => boolean {
  let lines = new Map<string, number>()
  let minuteUs = clock.monotonic()

  return (address) => {
    const nowUs = clock.monotonic()
    if (nowUs - minuteUs >= MINUTE_US) {
      lines = new Map()
      minuteUs = nowUs
    }
    const count = (lines.get(address) ?? 0) + 1
    lines.set(address, count)
    return count > LOGGED && count % THINNED_TO_EVERY !== 0
  }
}
