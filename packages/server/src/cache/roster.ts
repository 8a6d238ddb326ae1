import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { OwnObject, Roster } from './fleet-object.ts'
import { keptRead } from './kept-read.ts'

/** The ids of all objects of an organization by ident. */
export type Idents = ReadonlyMap<string, number>

/** The objects of an organization, read when first needed and kept until they change. */
export type KeptRoster = {
  /** The same map until the objects change. */
  objects(): Roster | Promise<Roster>
  idents(): Idents | Promise<Idents>
  outdate(): void
}

export function keptRoster(list: () => Promise<MonitoredObject[]>): KeptRoster {
  const { get: objects, outdate } = keptRead(async () => rosterOf(await list()))
  const idents = new WeakMap<Roster, Idents>()

  function identsIn(roster: Roster): Idents {
    const known = idents.get(roster) ?? identsOf(roster)
    idents.set(roster, known)
    return known
  }

  return {
    objects,
    idents() {
      const roster = objects()
      return roster instanceof Promise ? roster.then(identsIn) : identsIn(roster)
    },
    outdate,
  }
}

function rosterOf(objects: readonly MonitoredObject[]): Roster {
  const roster = new Map<number, OwnObject>()
  for (const object of objects) roster.set(object.id, { object, existing: undefined })
  return roster
}

function identsOf(roster: Roster): Idents {
  return new Map(Array.from(roster.values(), ({ object }) => [object.ident, object.id]))
}
