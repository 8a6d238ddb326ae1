import type { Delivery, NewDelivery, Webhook, WebhookSettings } from '../../base/domain/webhook.ts'
import type { Note } from './audit-store.ts'

export type NewWebhook = WebhookSettings & Pick<Webhook, 'secret'>
export type WebhookPatch = Partial<
  Omit<WebhookSettings, 'form'> &
    Pick<Webhook, 'secret' | 'oldSecret' | 'oldSecretUntil' | 'offAt' | 'offReason'>
>

/** The result of a try to deliver. `nextTryAt`: null if it is not tried again automatically. */
export type Tried = Pick<
  Delivery,
  'status' | 'failure' | 'durationMs' | 'arrived' | 'failingSince' | 'nextTryAt'
> & { triedAt: number; isDelivered: boolean }

/**
 * The endpoints of organizations, and the deliveries to them. A webhook's deliveries in order (all but tests)
 * are its place in the changes: the newest one holds the cursor of the next. Settings, tests and requested retries are
 * reported under the topic `webhooks`, deliveries are not.
 */
export interface WebhookStore {
  create(
    organization: number,
    webhook: NewWebhook,
    now: number,
    note?: Note<Webhook>,
  ): Promise<Webhook>
  /** By id, ascending. */
  list(organization: number): Promise<Webhook[]>
  find(organization: number, webhook: number): Promise<Webhook | null>
  /**
   * Null if the organization has no such webhook. With other types, grants or ids, the webhook starts again. With other
   * grants, it sends nothing again that it made before. With
   * another URL, or switched on, its pending delivery is tried at once.
   */
  update(
    organization: number,
    webhook: number,
    patch: WebhookPatch,
    now: number,
    note?: Note<Webhook, Webhook>,
  ): Promise<Webhook | null>
  /** Deletes a webhook with its deliveries. False if it does not exist. */
  delete(organization: number, webhook: number, note?: Note<true>): Promise<boolean>
  /** The organizations that have a webhook, ascending. */
  organizations(): Promise<number[]>
  /**
   * Renews the leases of a holder, and takes those that nobody holds, for the organizations with webhooks.
   * Returns what it holds. A lease ends automatically after `forMs`, the same for all holders. One that would end
   * later than two of them from now is from before the clock was set back, and counts as free.
   */
  lease(holder: string, forMs: number): Promise<number[]>
  /** Gives up all leases of a holder. */
  release(holder: string): Promise<void>
  /** The newest delivery in order. */
  newest(organization: number, webhook: number): Promise<Delivery | null>
  /** The kept deliveries, the newest first, without their bodies. */
  deliveries(organization: number, webhook: number): Promise<Delivery[]>
  /** Deliveries to send out of order, the oldest first. */
  wanted(organization: number, webhook: number): Promise<Delivery[]>
  /**
   * Adds a delivery after the newest one, whose number is `after` (0: there is none). Null, without a change, if that
   * is not the newest one, if it is pending, or if the webhook does not exist or starts again: then the next delivery
   * is a resync, which clears that. Keeps the newest `KEPT_DELIVERIES`.
   */
  add(
    organization: number,
    webhook: number,
    after: number,
    delivery: NewDelivery,
  ): Promise<Delivery | null>
  /** Adds a test. Null if the webhook does not exist. */
  addTest(
    organization: number,
    webhook: number,
    test: NewDelivery,
    note?: Note<Delivery>,
  ): Promise<Delivery | null>
  /** Asks for one more try of a delivery. Null if it does not exist, or its body was not kept. */
  want(
    organization: number,
    webhook: number,
    number: number,
    note?: Note<Delivery>,
  ): Promise<Delivery | null>
  /**
   * Forgets the bodies of deliveries that may show positions from a moment on, so that nobody can want them again. Pending
   * ones are made again, of the changes as they are now, after the cursor of the delivery before them. Without such a cursor,
   * a webhook that starts from now restarts, because nothing else marks where its changes began.
   */
  forget(organization: number, from: number): Promise<void>
  /**
   * Notes a try. A delivery that arrived once stays delivered. Nothing is noted if another one has its number now, because
   * it was forgotten meanwhile.
   */
  note(
    organization: number,
    webhook: number,
    delivery: Pick<Delivery, 'number' | 'message'>,
    tried: Tried,
  ): Promise<void>
  /** Moves the cursor of a delivery forward, across changes that the webhook does not select. */
  advance(organization: number, webhook: number, number: number, cursor: string): Promise<void>
}
