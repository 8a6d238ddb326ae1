import type { ObjectState } from '../../domain/position/object-state.ts'
import type { Snapshots, StatesRead } from '../realtime.ts'

export type MemorySnapshots = Omit<Snapshots, 'read'> & {
  read(organization: number, objects: readonly number[]): StatesRead
}

type Fleet = {
  /** The newest known change of the organization's states; 0 before the first. */
  sequence: number
  states: Map<number, ObjectState>
}

/** Snapshots in the memory of the one process that serves a data folder. */
export function memorySnapshots(): MemorySnapshots {
  const fleets = new Map<number, Fleet>()

  function of(organization: number): Fleet {
    let fleet = fleets.get(organization)
    if (fleet === undefined) {
      fleet = { sequence: 0, states: new Map() }
      fleets.set(organization, fleet)
    }
    return fleet
  }

  return {
    isShared: false,
    read(organization, objects) {
      const states = fleets.get(organization)?.states
      return { kept: objects.map((object) => states?.get(object)), version: null }
    },
    keep(organization, { sequence, previous, states }) {
      const fleet = of(organization)
      if (previous > fleet.sequence) fleet.states.clear()
      fleet.sequence = sequence
      for (const [object, state] of states) fleet.states.set(object, state)
    },
    outdate(organization, sequence) {
      const fleet = of(organization)
      if (sequence <= fleet.sequence) return
      fleet.sequence = sequence
      fleet.states.clear()
    },
    fill(organization, states) {
      const kept = of(organization).states
      for (const [object, state] of states) if (!kept.has(object)) kept.set(object, state)
    },
  }
}
