import { MAX_WAITING_IDENTS, type WaitingIdent } from '../domain/routing.ts'
import type { RoutingStore } from '../store/routing-store.ts'
import { identNotes } from './ident-notes.ts'
import { type Packet, shownPlace } from './packet.ts'
import { shownSender } from './routed-facts.ts'

/** Idents that no organization owns: noted in memory, and written to the store a moment later. */
export type WaitingIdents = {
  /** `rule`: the last rule that was tried. */
  note(packet: Packet, format: string, rule: number | null): void
  /** Writes the noted idents. While the store does not answer, they stay in memory. */
  write(): Promise<void>
}

export function openWaitingIdents(store: Pick<RoutingStore, 'addWaiting'>): WaitingIdents {
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
    write: () => notes.write(store.addWaiting),
  }
}
