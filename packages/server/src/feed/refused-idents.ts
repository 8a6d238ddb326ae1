import {
  MAX_REFUSED_IDENTS,
  type RefusedIdent,
  type RefusedIdentReason,
} from '../domain/refused-ident.ts'
import type { RefusedIdentStore } from '../store/store.ts'
import { type IdentNotes, identNotes } from './ident-notes.ts'
import { type Packet, shownPlace } from './packet.ts'

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
