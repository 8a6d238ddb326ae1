import { takeAddresses } from '../folding/take-addresses.ts'
import type { PositionStore } from '../store.ts'
import type { TrackedObjects } from './tracked.ts'

export function addressWriter(tracked: TrackedObjects): PositionStore['address'] {
  return (organization, addresses) =>
    tracked.write((change) => {
      const mine = tracked.of(organization)
      const touched = takeAddresses(mine.find, addresses)
      return { result: undefined, change: mine.save(touched, change) }
    })
}
