import type { ObjectState } from '../../domain/object-state.ts'
import type { Snapshots } from '../realtime.ts'

/** In the memory of the one process that serves a data folder. */
export function memorySnapshots(): Snapshots {
  const organizations = new Map<number, Map<number, ObjectState>>()

  function of(organization: number): Map<number, ObjectState> {
    let states = organizations.get(organization)
    if (states === undefined) {
      states = new Map()
      organizations.set(organization, states)
    }
    return states
  }

  return {
    read(organization, objects) {
      const states = organizations.get(organization)
      return objects.map((object) => states?.get(object))
    },
    keep(organization, states) {
      const kept = of(organization)
      for (const [object, state] of states) kept.set(object, state)
    },
    fill(organization, states) {
      const kept = of(organization)
      for (const [object, state] of states) if (!kept.has(object)) kept.set(object, state)
    },
    forget(organization) {
      organizations.delete(organization)
    },
  }
}
