import { takeAddresses } from '../folding/take-addresses.ts'
import type { PositionStore } from '../store.ts'
import type { TrackedObjects } from './tracked.ts'

export function addressWriter(tracked: TrackedObjects): PositionStore['address'] {
  return async (organization, addresses) => {
    await tracked.write(organization, addresses.keys(), async ({ find, save }) => {
      save(takeAddresses(find, addresses))
    })
  }
}
