import { MAX_BODY_BYTES } from './refusal.ts'

/** Of all bodies that are on their way at once: beyond it, senders are to come again. */
const MAX_HELD_BYTES = 16 * MAX_BODY_BYTES
/** Of those of one organization, so that it cannot keep others out by never finishing any. */
const MAX_HELD_BY_ONE = 4 * MAX_BODY_BYTES

/** What one body takes of the memory that is set aside for all. */
export type HeldBody = Disposable & {
  /** Whether so many bytes more may be held; they are, where they may. */
  hold(bytes: number): boolean
}

/** Keeps account of bodies that are being received. */
export type HeldBodies = (organization: number) => HeldBody

export function holdBodies(): HeldBodies {
  const byOrganization = new Map<number, number>()
  let all = 0

  return (organization) => {
    let own = 0

    function add(bytes: number): void {
      own += bytes
      all += bytes
      const ofOne = (byOrganization.get(organization) ?? 0) + bytes
      if (ofOne === 0) byOrganization.delete(organization)
      else byOrganization.set(organization, ofOne)
    }

    return {
      hold(bytes) {
        const ofOne = (byOrganization.get(organization) ?? 0) + bytes
        if (ofOne > MAX_HELD_BY_ONE || all + bytes > MAX_HELD_BYTES) return false
        add(bytes)
        return true
      },
      [Symbol.dispose]: () => add(-own),
    }
  }
}
