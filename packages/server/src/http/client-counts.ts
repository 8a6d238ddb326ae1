import { placesOf } from '../domain/network.ts'

/** Counts the open connections of each client address. */
export type AddressCounts = {
  /**
   * Counts one more connection of this address. Returns what must be called once when it has closed, or
   * null where the address has as many as it may have.
   */
  open(address: string): (() => void) | null
  /** Addresses with open connections. */
  readonly size: number
}

/** `limit`: connections of one address; of IPv6, of one /64. */
export function countByAddress(limit: number): AddressCounts {
  const counts = new Map<string, number>()

  function close(place: string): void {
    const left = counts.get(place)! - 1
    if (left === 0) counts.delete(place)
    else counts.set(place, left)
  }

  return {
    open(address) {
      const place = placesOf(address)[0]!
      const count = counts.get(place) ?? 0
      if (count >= limit) return null
      counts.set(place, count + 1)
      return () => close(place)
    },
    get size() {
      return counts.size
    },
  }
}
