import { countShares } from '../domain/common/slots.ts'

/** For all requests of a listener together. A heap of 128 MB has room for this beside the server itself. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024
/** For one organization, so that it cannot keep others out. Any single request fits. */
export const MAX_HELD_BY_ONE = MAX_HELD_BYTES / 4

/** The memory of one request, until its answer has left. */
export type HeldMemory = Disposable & {
  /** Takes this many more bytes and returns true, or takes none and returns false. */
  hold(bytes: number): boolean
  release(bytes: number): void
}

/** Opens the account of a request of an organization. */
export type HoldMemory = (organization: number) => HeldMemory

/** Counts all memory that a listener holds for requests: bodies as they came, unpacked bodies, and their rows. */
export function openHeldMemory(): HoldMemory {
  const shares = countShares<number>()

  return (organization) => {
    let own = 0

    function add(bytes: number): void {
      own += bytes
      shares.add(organization, bytes)
    }

    return {
      hold(bytes) {
        const ofOne = shares.of(organization) + bytes
        if (ofOne > MAX_HELD_BY_ONE || shares.sum + bytes > MAX_HELD_BYTES) return false
        add(bytes)
        return true
      },
      release: (bytes) => add(-bytes),
      [Symbol.dispose]: () => add(-own),
    }
  }
}
