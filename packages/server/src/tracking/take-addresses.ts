import type { Dated } from '../domain/position/object-state.ts'
import { newer } from './object-state.ts'
import type { FindFoldTarget, FoldTarget } from './tables.ts'

/** The objects whose newest known address changes, by id. Each keeps the later of its two addresses. */
export function takeAddresses(
  find: FindFoldTarget,
  addresses: ReadonlyMap<number, Dated<string>>,
): Map<number, FoldTarget> {
  const touched = new Map<number, FoldTarget>()
  for (const [id, incoming] of addresses) {
    const existing = find(id)
    if (existing === null || newer(existing.state.address, incoming) !== incoming) continue
    touched.set(id, { ...existing, state: { ...existing.state, address: incoming } })
  }
  return touched
}
