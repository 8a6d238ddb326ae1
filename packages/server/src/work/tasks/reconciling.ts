import { type Repeated, repeat, type Wait, waitUnlessAborted } from '../../engine/repeat.ts'

const EVERY_MS = 5_000
/** A change takes about 1 ms to arrive. A change that every check finds missing will never arrive. */
const LOOKS = 10
const LOOK_EVERY_MS = 50

/** Counts of the changes of states, per organization, in the store and in the shared snapshots. */
export type SharedStates = {
  stored(organizations: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** Changes that arrived in the shared snapshots, for organizations with kept states. */
  shared(organizations: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** Grows whenever changes that had arrived may be lost. */
  losses(): number
  /** Drops the shared states from before the organization's change `sequence`. */
  outdate(organization: number, sequence: number): void | Promise<void>
}

/**
 * Finds changes of states that were stored but never reached the shared snapshots, because the process
 * that stored them ended in between. Any number of processes may run this: dropping twice, or without
 * need, costs some reads. `failed` gets the error when the counts could not be compared.
 */
export function startReconciling(
  states: SharedStates,
  organizations: () => readonly number[],
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  /** For each organization, the number up to which no change is missing. */
  const settled = new Map<number, number>()
  let losses = states.losses()

  /** Organizations with a missing change, and the newest change of each. */
  async function behind(of: readonly number[]): Promise<Map<number, number>> {
    // Read the snapshots first: a change stored in between can look missing, but a missing one never
    // looks present.
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
    // The shared states may have gone back in time: restored from a file, or a replica took over.
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
