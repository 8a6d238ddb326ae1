import { isIPv6 } from 'node:net'
import type { Clock } from '../domain/clock.ts'

const MOST = 5
const WINDOW_US = 5 * 60_000_000
/** Addresses that are remembered; the one that tried longest ago is forgotten first. */
const MOST_ADDRESSES = 10_000

/**
 * Attempts at a password: 5 of an address in any 5 minutes, counted before it is known whether they
 * succeed, so that many at once are no more. A success forgets the address's.
 */
export type Attempts = {
  /** Microseconds until the next may be made, 0 where this one may: it is counted then. */
  begin(address: string): number
  succeeded(address: string): void
}

export function attempts(clock: Clock): Attempts {
  const byAddress = new Map<string, number[]>()

  return {
    begin(address) {
      const network = networkOf(address)
      const now = clock.monotonic()
      const recent = (byAddress.get(network) ?? []).filter((at) => at > now - WINDOW_US)
      if (recent.length >= MOST) return recent[0]! + WINDOW_US - now
      byAddress.delete(network)
      byAddress.set(network, [...recent, now])
      if (byAddress.size > MOST_ADDRESSES) byAddress.delete(byAddress.keys().next().value!)
      return 0
    },
    succeeded: (address) => void byAddress.delete(networkOf(address)),
  }
}

/** Who has one address of IPv6 has a whole /64 of them (RFC 6177). */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':')
    while (groups.length + last.length < 8) groups.push('0')
    groups.push(...last)
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':')
}
