import type { Disclosed, DisclosureSource } from '../base/domain/disclosure.ts'
import type { KeyOperation } from '../base/domain/key-scope.ts'
import type { ObjectState } from '../base/domain/position/object-state.ts'
import { type Clock, HOUR_MS } from '../base/domain/time/time.ts'
import type { Issuer } from '../engine/store/access-store.ts'

/*
 * The disclosures of acts: what a person, a token or the command line is shown of objects.
 */

/** Counts what one act shows of objects to its caller. */
export type Disclosing = {
  /** Counts rows of an object, if there are any. The first ones of an act are a request too. */
  rows(object: number, data: KeyOperation, rows: number): void
  /** Counts the current state of an object, if it has a position. */
  state(object: number, state: Pick<ObjectState, 'lastFix'>): void
  /** Counts that current values of these objects are shown. */
  values(objects: Iterable<number>): void
  /** Counts the current states of the whole fleet. `objects`: those with a position, called if their number is another one. */
  fleet(size: number, objects: () => Iterable<number>): void
}

type Reader = { id: number; organization: number; disclosee: number }
type Counts = {
  of(source: DisclosureSource): {
    answer(reader: Reader, data: KeyOperation, disclosed: Disclosed): void
    rows(reader: Reader, data: KeyOperation, object: number, rows: number): void
  }
}

/** The caller of an act. The command line has no account and no token. */
type Caller = { account: { id: number } | null; issuer: Issuer }

/** Opens the counts of an act in an organization. */
export type OpenDisclosing = (by: Caller, organization: number) => Disclosing

/** Objects that a caller has seen one by one. Those beyond count again. */
const MAX_SEEN = 1_000

/** Consoles ask for the same states again and again, so the state of an object counts once an hour for each caller. */
export function openDisclosing(counts: Counts, clock: Pick<Clock, 'now'>): OpenDisclosing {
  const seen = seenStates(clock)
  return (by, organization) => {
    const { source, id } = readerOf(by)
    const reader = { id, organization, disclosee: 0 }
    const { answer, rows } = counts.of(source)
    const shown = seen(organization, `${organization} ${source} ${id}`)
    const answered = new Set<number>()
    const newStates = (objects: number[]) => {
      if (objects.length > 0) answer(reader, 'detail', { objects })
    }
    return {
      rows(object, data, count) {
        if (count === 0) return
        if (answered.has(object)) return rows(reader, data, object, count)
        answered.add(object)
        answer(reader, data, { objects: [object], rows: [count] })
      },
      state(object, { lastFix }) {
        if (lastFix !== null) newStates([object].filter(shown.isNew))
      },
      values: (objects) => newStates([...objects].filter(shown.isNew)),
      fleet: (size, objects) => newStates(shown.newOf(size, objects)),
    }
  }
}

/** Counts the states of a fleet. */
export function discloseFleet(
  disclosed: Pick<Disclosing, 'fleet'>,
  all: readonly { object: { id: number }; state: Pick<ObjectState, 'lastFix'> }[],
): void {
  const ids = all.flatMap(({ object, state }) => (state.lastFix === null ? [] : [object.id]))
  disclosed.fleet(ids.length, () => ids)
}

function readerOf({ account, issuer }: Caller) {
  if (account !== null) return { source: 'person', id: account.id } as const
  if (issuer.token !== null) return { source: 'token', id: issuer.token } as const
  return { source: 'command', id: 0 } as const
}

type Seen = { fleet: ReadonlySet<number>; objects: Set<number> }
const NONE: ReadonlySet<number> = new Set()

/** The states that callers have seen in this hour. */
function seenStates(clock: Pick<Clock, 'now'>) {
  let hour = 0
  const byCaller = new Map<string, Seen>()
  /** The newest fleet of each organization, which all callers share that have seen it. */
  const fleets = new Map<number, ReadonlySet<number>>()

  function seenBy(caller: string): Seen {
    const now = Math.floor(clock.now() / HOUR_MS)
    if (now !== hour) {
      hour = now
      byCaller.clear()
      fleets.clear()
    }
    const seen = byCaller.get(caller) ?? { fleet: NONE, objects: new Set() }
    byCaller.set(caller, seen)
    return seen
  }

  function shared(organization: number, objects: Iterable<number>): ReadonlySet<number> {
    const [known = NONE, fleet] = [fleets.get(organization), new Set(objects)]
    if (fleet.size === known.size && fleet.isSubsetOf(known)) return known
    fleets.set(organization, fleet)
    return fleet
  }

  return (organization: number, caller: string) => ({
    isNew(object: number): boolean {
      const { fleet, objects } = seenBy(caller)
      if (fleet.has(object) || objects.has(object)) return false
      if (objects.size >= MAX_SEEN) objects.clear()
      objects.add(object)
      return true
    },
    newOf(size: number, objects: () => Iterable<number>): number[] {
      const seen = seenBy(caller)
      if (seen.fleet.size === size) return []
      const fleet = shared(organization, objects())
      const fresh = [...fleet.difference(seen.fleet).difference(seen.objects)]
      seen.fleet = fleet
      return fresh
    },
  })
}
