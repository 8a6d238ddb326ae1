import type { Dated } from '../../domain/object-state.ts'
import { newer } from './state-in-order.ts'
import type { FindTracked, Tracked } from './tracked.ts'

/** What becomes of the objects for which no later address is known, by id. */
export function takeAddresses(
  find: FindTracked,
  addresses: ReadonlyMap<number, Dated<string>>,
): Map<number, Tracked> {
  const touched = new Map<number, Tracked>()
  for (const [id, come] of addresses) {
    const standing = find(id)
    if (standing === null || newer(standing.state.address, come) !== come) continue
    touched.set(id, { ...standing, state: { ...standing.state, address: come } })
  }
  return touched
}
