import type { Dated } from '../../domain/object-state.ts'
import { newer } from '../state-after.ts'
import type { PositionStore } from '../store.ts'
import type { Tracked, TrackedObjects } from './tracked.ts'

export function addressWriter(tracked: TrackedObjects): PositionStore['address'] {
  return (organization, addresses) =>
    tracked.write((change) => {
      const mine = tracked.of(organization)
      const touched = new Map<number, Tracked>()
      for (const [id, come] of addresses) {
        const standing = mine.find(id)
        const address = standing === null ? null : replacing(standing, come)
        if (address !== null)
          touched.set(id, { ...standing!, state: { ...standing!.state, address } })
      }
      return { result: undefined, change: mine.save(touched, change) }
    })
}

/** Null where a later one stands. */
function replacing({ state }: Tracked, come: Dated<string>): Dated<string> | null {
  return newer(state.address, come) === come ? come : null
}
