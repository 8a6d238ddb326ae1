import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { OwnObject, Roster } from './fleet-object.ts'

/** The ids of all objects of an organization by ident. */
export type Idents = ReadonlyMap<string, number>

/** The objects of an organization, read when first needed and kept until they change. */
export type KeptRoster = {
  /** The same map until the objects change. */
  objects(): Promise<Roster>
  idents(): Promise<Idents>
  outdate(): void
}

/** One read of the objects, and their idents once somebody has asked. */
type RosterRead = { readonly roster: Promise<Roster>; idents?: Promise<Idents> }

export function keptRoster(list: () => Promise<MonitoredObject[]>): KeptRoster {
  let newest: RosterRead | undefined

  function read(): RosterRead {
    newest ??= begin()
    return newest
  }

  function begin(): RosterRead {
    const mine: RosterRead = { roster: list().then(rosterOf) }
    // The next caller tries again.
    mine.roster.catch(() => {
      if (newest === mine) newest = undefined
    })
    return mine
  }

  return {
    objects: () => read().roster,
    idents() {
      const mine = read()
      mine.idents ??= mine.roster.then(identsOf)
      return mine.idents
    },
    outdate() {
      newest = undefined
    },
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
