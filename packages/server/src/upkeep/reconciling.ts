import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

const EVERY_MS = 5_000
/** A change is on its way for a millisecond or so; one that is not there at any look never will be. */
const LOOKS = 10
const LOOK_EVERY_MS = 50

/** How often the states of organizations have changed, in what is stored and in what is shared. */
export type SharedStates = {
  stored(organizations: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** The changes that got there, of those of which anything is shared, as far as that can be asked. */
  shared(organizations: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** Grows whenever changes that had got there may have gone again. */
  losses(): number
  /** Drops what is shared from before the organization's change `sequence`. */
  outdate(organization: number, sequence: number): void | Promise<void>
}

/**
 * Finds changes of states that were stored and never got to what is shared, because the process that
 * stored them ended in between. Any number of processes may do so: who drops what another has dropped
 * already, or dropped for nothing, costs some reads. `failed` hears why nothing could be compared.
 */
export function keepReconciling(
  states: SharedStates,
  organizations: () => readonly number[],
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  /** The change of each organization up to which nothing is missing. */
  const settled = new Map<number, number>()
  let losses = states.losses()

  /** Those of which something is missing, with the newest change of each. */
  async function behind(of: readonly number[]): Promise<Map<number, number>> {
    // In this order: what is stored in between looks missing, and nothing that is missing looks there.
    const shared = await states.shared(of)
    const stored = await states.stored(of)
    const found = new Map<number, number>()
    for (const [organization, sequence] of stored) {
      const there = shared.get(organization)
      if (there === undefined) continue
      if (there < sequence) found.set(organization, sequence)
      else settled.set(organization, sequence)
    }
    return found
  }

  async function changed(): Promise<number[]> {
    // What is shared may be as it was a while ago: a file's content, or that of a replica.
    if (losses !== states.losses()) settled.clear()
    losses = states.losses()
    const stored = await states.stored(organizations())
    for (const organization of settled.keys()) {
      if (!stored.has(organization)) settled.delete(organization)
    }
    const isNew = ([each, sequence]: [number, number]) => sequence !== (settled.get(each) ?? 0)
    return [...stored].filter(isNew).map(([organization]) => organization)
  }

  async function reconcile(signal: AbortSignal): Promise<void> {
    let found = await behind(await changed())
    for (let look = 1; look < LOOKS && found.size > 0; look++) {
      await wait(LOOK_EVERY_MS, signal)
      if (signal.aborted) return
      found = await behind([...found.keys()])
    }
    for (const [organization, sequence] of found) await states.outdate(organization, sequence)
  }

  return repeat(reconcile, EVERY_MS, failed, wait)
}
