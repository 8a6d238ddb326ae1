import type { Dated } from '../../domain/object-state.ts'
import { newer } from './state-in-order.ts'
import type { FindTracked, Tracked } from './tracked.ts'

/** The objects whose newest known address changes, by id. Each keeps the later of its two addresses. */
export function takeAddresses(
  find: FindTracked,
  addresses: ReadonlyMap<number, Dated<string>>,
): Map<number, Tracked> {
  const touched = new Map<number, Tracked>()
  for (const [id, incoming] of addresses) {
    const existing = find(id)
    if (existing === null || newer(existing.state.address, incoming) !== incoming) continue
    touched.set(id, { ...existing, state: { ...existing.state, address: incoming } })
  }
  return touched
}
