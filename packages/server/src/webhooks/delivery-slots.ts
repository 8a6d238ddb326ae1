import { MAX_WEBHOOKS } from './registering.ts'

/** A limited number of deliveries that are under way, which organizations share. */
export type DeliverySlots = {
  /**
   * Resolves with a function that frees the slot, when it is the organization's turn. Resolves with null if the signal
   * aborts before.
   */
  take(organization: number, signal: AbortSignal): Promise<Free | null>
}

type Free = () => void
type Grant = (free: Free) => void

/** The share that the deliveries of one organization may take, and at least one. */
const SHARE_OF_ORGANIZATION = 1 / 4

/**
 * Organizations take turns: each free slot goes to the next one that waits and has less than its share. So an
 * organization whose receivers are slow waits for itself.
 */
export function openDeliverySlots(inAll: number): DeliverySlots {
  const ofOrganization = Math.min(
    MAX_WEBHOOKS,
    Math.max(1, Math.floor(inAll * SHARE_OF_ORGANIZATION)),
  )
  const taken = new Map<number, number>()
  /** In the order of their turns. */
  const waiting = new Map<number, Set<Grant>>()
  let left = inAll

  function count(organization: number, more: 1 | -1): void {
    left -= more
    const own = (taken.get(organization) ?? 0) + more
    if (own === 0) taken.delete(organization)
    else taken.set(organization, own)
  }

  function grantNext(): void {
    for (const [organization, grants] of waiting) {
      if (left === 0) return
      if ((taken.get(organization) ?? 0) >= ofOrganization) continue
      const [grant] = grants
      leave(organization, grant!)
      // The others that wait for the organization come after all organizations that wait.
      if (waiting.delete(organization)) waiting.set(organization, grants)
      count(organization, 1)
      grant!(() => {
        count(organization, -1)
        grantNext()
      })
    }
  }

  function wait(organization: number, grant: Grant): void {
    const grants = waiting.get(organization) ?? new Set()
    waiting.set(organization, grants.add(grant))
  }

  function leave(organization: number, grant: Grant): void {
    const grants = waiting.get(organization)!
    grants.delete(grant)
    if (grants.size === 0) waiting.delete(organization)
  }

  return {
    take(organization, signal) {
      return new Promise((resolve) => {
        const grant: Grant = (free) => {
          signal.removeEventListener('abort', giveUp)
          resolve(free)
        }
        function giveUp(): void {
          leave(organization, grant)
          resolve(null)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        wait(organization, grant)
        grantNext()
        if (signal.aborted && waiting.get(organization)?.has(grant)) giveUp()
      })
    },
  }
}
