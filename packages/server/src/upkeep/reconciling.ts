import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

const EVERY_MS = 5_000
/** A change is on its way for a millisecond or so; one that is not there at any look never will be. */
const LOOKS = 10
const LOOK_EVERY_MS = 50

/** How often the states of organizations have changed, in what is stored and in what is shared. */
export type SharedStates = {
  /** Whether this process is to look now, of all that serve the deployment. */
  isTurn(): Promise<boolean>
  /** Of those of the organizations of which anything is shared, the changes that got there. */
  shared(organizations: readonly number[]): Promise<ReadonlyMap<number, number>>
  stored(organizations: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** Drops what is shared from before the organization's change `sequence`. */
  outdate(organization: number, sequence: number): void | Promise<void>
}

/**
 * Finds changes of states that were stored and never got to what is shared, because the process that
 * stored them ended in between. Who drops too much loses some reads and nothing else, so it needs no
 * lock. `failed` hears why nothing could be compared.
 */
export function keepReconciling(
  states: SharedStates,
  organizations: () => readonly number[],
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  /** Those that are behind what is stored, with the change that is. */
  async function behind(of: readonly number[]): Promise<Map<number, number>> {
    // In this order: what is stored in between looks missing, and nothing that is missing looks there.
    const shared = await states.shared(of)
    const stored = await states.stored([...shared.keys()])
    return new Map([...stored].filter(([each, sequence]) => shared.get(each)! < sequence))
  }

  async function reconcile(signal: AbortSignal): Promise<void> {
    if (!(await states.isTurn())) return
    let found = await behind(organizations())
    for (let look = 1; look < LOOKS && found.size > 0; look++) {
      await wait(LOOK_EVERY_MS, signal)
      if (signal.aborted) return
      found = await behind([...found.keys()])
    }
    for (const [organization, sequence] of found) await states.outdate(organization, sequence)
  }

  return repeat(reconcile, EVERY_MS, failed, wait)
}
