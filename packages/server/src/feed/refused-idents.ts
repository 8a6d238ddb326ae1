import {
  MAX_REFUSED_IDENTS,
  type RefusedIdent,
  type RefusedIdentReason,
} from '../domain/refused-ident.ts'
import { type RefusedIdentStore, StoreUnavailable } from '../store/store.ts'
import type { Packet } from './packet.ts'

/** Idents without an object: noted in memory, and written to the store a moment later. */
export type RefusedIdents = {
  note(organization: number, reason: RefusedIdentReason, packet: Packet): void
  /** Writes the noted idents. While the store does not answer, they stay in memory. */
  write(): Promise<void>
}

export function openRefusedIdents(store: RefusedIdentStore): RefusedIdents {
  /** By organization and ident, the latest sender last. */
  let noted = new Map<number, Map<string, RefusedIdent>>()

  function add(organization: number, each: RefusedIdent): void {
    let idents = noted.get(organization)
    if (idents === undefined) {
      idents = new Map()
      noted.set(organization, idents)
    }
    const packets = (idents.get(each.ident)?.packets ?? 0) + each.packets
    idents.delete(each.ident)
    idents.set(each.ident, { ...each, packets })
    if (idents.size > MAX_REFUSED_IDENTS) idents.delete(idents.keys().next().value!)
  }

  /** Idents noted meanwhile are newer and come last. */
  function putBack(organization: number, idents: readonly RefusedIdent[]): void {
    const newer = noted.get(organization) ?? new Map<string, RefusedIdent>()
    noted.delete(organization)
    for (const each of [...idents, ...newer.values()]) add(organization, each)
  }

  return {
    note(organization, reason, { ident, fix: { timeServer, latitude, longitude } }) {
      const place = latitude === 0 && longitude === 0 ? NOWHERE : { latitude, longitude }
      add(organization, { ident, reason, packets: 1, lastAt: timeServer, ...place })
    },
    async write() {
      const written = noted
      noted = new Map()
      for (const [organization, idents] of written) {
        const all = [...idents.values()]
        try {
          await store.add(organization, all)
        } catch (error) {
          putBack(organization, all)
          if (!(error instanceof StoreUnavailable)) throw error
        }
      }
    },
  }
}

const NOWHERE = { latitude: null, longitude: null }
