import { openSlots, type Slots } from '../../base/domain/common/slots.ts'
import { MAX_WEBHOOKS } from '../../base/domain/webhook.ts'

/** A limited number of deliveries that are under way, which organizations share. */
export type DeliverySlots = {
  /**
   * Resolves with a function that frees the slot, when it is the organization's turn. Resolves with null if the signal
   * aborts before.
   */
  take(
    organization: number,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Slots['take']>> | null>
}

/** The share that the deliveries of one organization may take, and at least one. */
const SHARE_OF_ORGANIZATION = 1 / 4

export function openDeliverySlots(inAll: number): DeliverySlots {
  const share = Math.max(1, Math.floor(inAll * SHARE_OF_ORGANIZATION))
  const slots = openSlots(inAll, Math.min(MAX_WEBHOOKS, share))
  return {
    // A wait fails only because of its signal.
    take: (organization, signal) => slots.take(organization, signal).catch(() => null),
  }
}
