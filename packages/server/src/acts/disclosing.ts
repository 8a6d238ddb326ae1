import type { Disclosed, DisclosureSource } from '../base/domain/disclosure.ts'
import type { KeyOperation } from '../base/domain/key-scope.ts'
import type { ObjectState } from '../base/domain/position/object-state.ts'
import { type Clock, HOUR_MS } from '../base/domain/time/time.ts'
import type { Actor } from './act.ts'

/*
 * The disclosures of acts: what a person, a token or the command line is shown of objects.
 */

/** Counts what one act shows of objects to its caller. */
export type Disclosing = {
  /** Counts rows of an object. The first ones of an act are a request too. */
  rows(object: number, data: KeyOperation, rows: number): void
  /** Counts the current state of an object, if it has a position. */
  state(object: number, state: Pick<ObjectState, 'lastFix'>): void
  /** Counts the current states of the whole fleet. `objects`: those with a position, called if they count. */
  fleet(objects: () => readonly number[]): void
}

type Reader = { id: number; organization: number; disclosee: number }
type Counts = {
  of(source: DisclosureSource): {
    answer(reader: Reader, data: KeyOperation, disclosed: Disclosed): void
    rows(reader: Reader, data: KeyOperation, object: number, rows: number): void
  }
}

/** Opens the counts of an act in an organization. */
export type OpenDisclosing = (
  by: Pick<Actor, 'account' | 'issuer'>,
  organization: number,
) => Disclosing

/** Objects that a caller has seen one by one. Those beyond count again. */
const MAX_SEEN = 1_000

/**
 * Consoles ask for the same states again and again, so the state of an object counts once an hour for each caller, and
 * with a whole fleet no more in that hour.
 */
export function openDisclosing(counts: Counts, clock: Pick<Clock, 'now'>): OpenDisclosing {
  const seen = seenStates(clock)
  return (by, organization) => {
    const { source, id } = readerOf(by)
    const reader = { id, organization, disclosee: 0 }
    const { answer, rows } = counts.of(source)
    const shown = seen(`${organization} ${source} ${id}`)
    const answered = new Set<number>()
    return {
      rows(object, data, count) {
        if (answered.has(object)) return rows(reader, data, object, count)
        answered.add(object)
        answer(reader, data, { objects: [object], rows: [count] })
      },
      state(object, { lastFix }) {
        if (lastFix !== null && shown.isNew(object)) answer(reader, 'detail', { objects: [object] })
      },
      fleet(objects) {
        if (shown.isNewFleet()) answer(reader, 'detail', { objects: objects() })
      },
    }
  }
}

/** The objects of a fleet that have a position. */
export function positioned(
  all: readonly { object: { id: number }; state: Pick<ObjectState, 'lastFix'> }[],
): number[] {
  return all.flatMap(({ object, state }) => (state.lastFix === null ? [] : [object.id]))
}

function readerOf({ account, issuer }: Parameters<OpenDisclosing>[0]) {
  if (account !== null) return { source: 'person', id: account.id } as const
  if (issuer.token !== null) return { source: 'token', id: issuer.token } as const
  return { source: 'command', id: 0 } as const
}

/** The states that callers have seen in this hour. */
function seenStates(clock: Pick<Clock, 'now'>) {
  let hour = 0
  const fleets = new Set<string>()
  const objects = new Map<string, Set<number>>()

  function forgetLastHour(): void {
    const now = Math.floor(clock.now() / HOUR_MS)
    if (now === hour) return
    hour = now
    fleets.clear()
    objects.clear()
  }

  return (caller: string) => ({
    isNew(object: number): boolean {
      forgetLastHour()
      if (fleets.has(caller)) return false
      const known = objects.get(caller) ?? new Set()
      objects.set(caller, known)
      if (known.has(object)) return false
      if (known.size >= MAX_SEEN) known.clear()
      known.add(object)
      return true
    },
    isNewFleet(): boolean {
      forgetLastHour()
      if (fleets.has(caller)) return false
      fleets.add(caller)
      return true
    },
  })
}
