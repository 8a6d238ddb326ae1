import type { Clock } from '../domain/time/clock.ts'

/**
 * The idents of which an organization has just been refused an object because it does not own them. A tracker that keeps
 * sending would otherwise cost a transaction for each packet.
 */
export type RecentlyForeign = {
  among(organization: number, idents: Iterable<string>): Set<string>
  note(organization: number, idents: ReadonlySet<string>): void
}

/** An operator who assigns the ident waits this long for its packets. */
const REMEMBERED_US = 5_000_000
const MAX_REMEMBERED = 10_000

export function recentlyForeign(clock: Pick<Clock, 'monotonic'>): RecentlyForeign {
  let untilUs = new Map<string, number>()
  const keyOf = (organization: number, ident: string) => `${organization} ${ident}`

  return {
    among(organization, idents) {
      const found = new Set<string>()
      if (untilUs.size === 0) return found
      const nowUs = clock.monotonic()
      for (const ident of idents) {
        if ((untilUs.get(keyOf(organization, ident)) ?? 0) > nowUs) found.add(ident)
      }
      return found
    },
    note(organization, idents) {
      if (untilUs.size + idents.size > MAX_REMEMBERED) untilUs = new Map()
      const end = clock.monotonic() + REMEMBERED_US
      for (const ident of idents) untilUs.set(keyOf(organization, ident), end)
    },
  }
}
