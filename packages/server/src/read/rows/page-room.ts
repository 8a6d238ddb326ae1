import { countShares } from '../../base/domain/common/slots.ts'

/** The entries that pages hold in memory until clients have taken them. */
export type PageRoom = {
  /** Takes room for at most `wanted` entries. There is always a little. */
  take(organization: number, wanted: number): TakenRoom
}

export type TakenRoom = {
  readonly entries: number
  /** Gives back what is not used. */
  keep(entries: number): void
  free(): void
}

/** The entries of all pages, and of those of one organization. */
type RoomSize = { readonly entries: number; readonly ofOrganization: number }

/** An entry of the change log takes some 80 bytes. */
export const ROOM_OF_CHANGES: RoomSize = { entries: 500_000, ofOrganization: 100_000 }
/** A record or a day takes several times as much. */
export const ROOM_OF_ROWS: RoomSize = { entries: 100_000, ofOrganization: 30_000 }
/** A page has room for at least this many entries. */
const MIN_ENTRIES = 100
/** The pages of an organization may have this many, whatever others hold: as many as a page of changes without `limit`. */
const OWN_ENTRIES = 1_000

/** Without it, clients that read slowly could make a process hold any number of long pages. */
export function openPageRoom(size: RoomSize): PageRoom {
  const taken = countShares<number>()

  return {
    take(organization, wanted) {
      const own = taken.of(organization)
      const free = Math.min(size.entries - taken.sum, size.ofOrganization - own)
      const entries = Math.min(wanted, Math.max(MIN_ENTRIES, OWN_ENTRIES - own, free))
      let reserved = entries
      taken.add(organization, reserved)
      const keep = (used: number) => {
        taken.add(organization, used - reserved)
        reserved = used
      }
      return { entries, keep, free: () => keep(0) }
    },
  }
}
