import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { OwnObject, Roster } from './fleet-object.ts'

/** The ids of all objects of an organization by ident. */
export type Idents = ReadonlyMap<string, number>

/** The objects of an organization, read when first needed and kept until they change. */
export type KeptRoster = {
  /** The same map until the objects change. */
  objects(): Roster | Promise<Roster>
  idents(): Idents | Promise<Idents>
  outdate(): void
}

/** One read of the objects, and what is known of it so far. */
type RosterRead = { readonly result: Promise<Roster>; roster?: Roster; idents?: Idents }

export function keptRoster(list: () => Promise<MonitoredObject[]>): KeptRoster {
  let newest: RosterRead | undefined

  function read(): RosterRead {
    newest ??= begin()
    return newest
  }

  function begin(): RosterRead {
    const mine: RosterRead = {
      result: list().then((objects) => {
        mine.roster = rosterOf(objects)
        return mine.roster
      }),
    }
    // The next caller tries again.
    mine.result.catch(() => {
      if (newest === mine) newest = undefined
    })
    return mine
  }

  return {
    objects: () => newest?.roster ?? read().result,
    idents() {
      const mine = read()
      return mine.idents ?? mine.result.then((roster) => (mine.idents ??= identsOf(roster)))
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
