import {
  MAX_REFUSED_IDENTS,
  MAX_WAITING_IDENTS,
  type RefusedIdent,
  type RefusedIdentReason,
  type WaitingIdent,
} from '../../base/domain/routing-rule.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { RefusedIdentStore } from '../../engine/store/item-store.ts'
import type { RoutingStore } from '../../engine/store/key-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { type Packet, shownPlace, shownSender } from './packet.ts'

/** Idents without an object: noted in memory, and written to the store a moment later. */
export type RefusedIdents = {
  note(organization: number, reason: RefusedIdentReason, packet: Packet): void
  /** Writes the noted idents. While the store does not answer, they stay in memory. */
  write(): Promise<void>
}

export function openRefusedIdents(store: RefusedIdentStore): RefusedIdents {
  const noted = new Map<number, IdentNotes<RefusedIdent>>()

  function notesOf(organization: number): IdentNotes<RefusedIdent> {
    let notes = noted.get(organization)
    if (notes === undefined) {
      notes = identNotes(MAX_REFUSED_IDENTS, (before, after) => ({
        ...after,
        packets: before.packets + after.packets,
      }))
      noted.set(organization, notes)
    }
    return notes
  }

  return {
    note(organization, reason, { ident, fix }) {
      const lastAt = fix.timeServer
      notesOf(organization).add({ ident, reason, packets: 1, lastAt, ...shownPlace(fix) })
    },
    async write() {
      for (const [organization, notes] of noted) {
        await notes.write((idents) => store.add(organization, idents))
      }
    },
  }
}

/** Idents that no organization owns: noted in memory, and written to the store a moment later. */
export type WaitingIdents = {
  /** `rule`: the last rule that was tried. */
  note(packet: Packet, format: string, rule: number | null): void
  /** A rule that makes no objects has matched. */
  matched(rule: number, at: number): void
  /** Writes the noted idents. While the store does not answer, they stay in memory. */
  write(): Promise<void>
}

export function openWaitingIdents(
  store: Pick<RoutingStore, 'addWaiting' | 'noteMatches'>,
): WaitingIdents {
  /** When rules last matched. */
  let matches = new Map<number, number>()
  const notes = identNotes<WaitingIdent>(MAX_WAITING_IDENTS, (before, after) => ({
    ...after,
    packets: before.packets + after.packets,
    firstAt: before.firstAt,
  }))
  return {
    note({ ident, fix, sender }, format, rule) {
      const at = { firstAt: fix.timeServer, lastAt: fix.timeServer }
      const entry = { ident, format, packets: 1, ...at, ...shownPlace(fix), rule }
      notes.add({ ...entry, ...shownSender(sender) })
    },
    matched(rule, at) {
      matches.set(rule, at)
    },
    async write() {
      await notes.write(store.addWaiting)
      if (matches.size === 0) return
      const written = matches
      matches = new Map()
      await store.noteMatches(written).catch((error: unknown) => {
        matches = new Map([...written, ...matches])
        if (!(error instanceof StoreUnavailable)) throw error
      })
    },
  }
}

/** Idents that sent packets, noted in memory until they are written: as many as a list keeps. */
type IdentNotes<Entry> = {
  /** Adds to the packets of an ident. */
  add(entry: Entry): void
  /** Writes what was noted. While the store does not answer, that stays in memory. */
  write(store: (entries: Entry[]) => Promise<void>): Promise<void>
}

/** `joined`: of an earlier and a later entry of an ident. */
function identNotes<Entry extends { ident: string }>(
  most: number,
  joined: (before: Entry, after: Entry) => Entry,
): IdentNotes<Entry> {
  /** The latest sender last. */
  let noted = new Map<string, Entry>()

  function add(entry: Entry): void {
    const before = noted.get(entry.ident)
    noted.delete(entry.ident)
    noted.set(entry.ident, before === undefined ? entry : joined(before, entry))
    if (noted.size > most) noted.delete(noted.keys().next().value!)
  }

  return {
    add,
    async write(store) {
      if (noted.size === 0) return
      const written = [...noted.values()]
      noted = new Map()
      try {
        await store(written)
      } catch (error) {
        // Idents that were noted meanwhile are newer and come last.
        const newer = noted
        noted = new Map()
        for (const each of [...written, ...newer.values()]) add(each)
        if (!(error instanceof StoreUnavailable)) throw error
      }
    },
  }
}

/**
 * The idents of which an organization has just been refused an object because it does not own them. A tracker that keeps
 * sending would otherwise cost a transaction for each packet.
 */
type RecentlyForeign = {
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
