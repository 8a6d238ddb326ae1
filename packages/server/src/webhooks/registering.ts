import { newWebhookSecret, sealWebhookSecret } from '../access/webhook-secret.ts'
import { maxOf } from '../domain/any-number.ts'
import { formatInstant } from '../domain/time/time.ts'
import { type Delivery, pendingOf, type Webhook, type WebhookSettings } from '../domain/webhook.ts'
import type { Store } from '../store/store.ts'
import { emptyDelivery } from './message.ts'

/** Each webhook reads the whole log of its organization. */
export const MAX_WEBHOOKS = 10

/** A webhook with its secret, at the only time when the secret is shown. */
export type IssuedWebhook = { webhook: Webhook; secret: string }

/** The settings must keep their rules, and the objects be the organization's own. */
export async function createWebhook(
  store: Store,
  organization: number,
  settings: WebhookSettings,
  now: number,
): Promise<IssuedWebhook> {
  const secret = newWebhookSecret()
  const sealed = sealWebhookSecret(await store.secret(), organization, secret)
  const webhook = await store.webhooks.create(organization, { ...settings, secret: sealed }, now)
  return { webhook, secret }
}

/** Gives a webhook a new secret. The old one signs too until `oldSecretUntil`. */
export async function rotateWebhookSecret(
  store: Store,
  { organization, id, secret: oldSecret }: Webhook,
  oldSecretUntil: number,
  now: number,
): Promise<IssuedWebhook | null> {
  const secret = newWebhookSecret()
  const sealed = sealWebhookSecret(await store.secret(), organization, secret)
  const patch = { secret: sealed, oldSecret, oldSecretUntil }
  const webhook = await store.webhooks.update(organization, id, patch, now)
  return webhook && { webhook, secret }
}

/** Asks for a test message. Null if there is no such webhook. */
export async function testWebhook(
  store: Store,
  organization: number,
  webhook: number,
  now: number,
): Promise<Delivery | null> {
  return store.webhooks.addTest(organization, webhook, await emptyDelivery('test', now))
}

/** The form in the console and on the command line. */
export async function webhookDocument({ webhooks }: Store, webhook: Webhook) {
  const pending = pendingOf(await webhooks.newest(webhook.organization, webhook.id))
  const kept = await webhooks.deliveries(webhook.organization, webhook.id)
  const deliveredAt = maxOf(kept.map((each) => each.deliveredAt ?? 0))
  const isFailing = pending !== null && pending.failingSince !== null
  const { offAt, offReason, oldSecretUntil } = webhook
  return {
    id: webhook.id,
    url: webhook.url,
    types: webhook.types,
    ids: webhook.ids,
    from: webhook.from,
    state: offAt !== null ? ('off' as const) : isFailing ? ('failing' as const) : ('on' as const),
    off_at: instant(offAt),
    off_reason: offReason,
    failing_since: instant(pending?.failingSince ?? null),
    failure: pending?.failure ?? null,
    next_try_at: offAt === null ? instant(pending?.nextTryAt ?? null) : null,
    last_delivered_at: deliveredAt > 0 ? formatInstant(deliveredAt) : null,
    old_secret_until: instant(oldSecretUntil),
    created_at: formatInstant(webhook.createdAt),
    updated_at: formatInstant(webhook.updatedAt),
  }
}

export function deliveryDocument(delivery: Delivery) {
  return {
    number: delivery.number,
    kind: delivery.kind,
    message_id: delivery.message,
    entries: delivery.entries,
    created_at: formatInstant(delivery.createdAt),
    tries: delivery.tries,
    tried_at: instant(delivery.triedAt),
    status: delivery.status,
    failure: delivery.failure,
    duration_ms: delivery.durationMs,
    delivered_at: instant(delivery.deliveredAt),
    next_try_at: instant(delivery.nextTryAt),
    is_wanted: delivery.isWanted,
  }
}

function instant(time: number | null): string | null {
  return time === null ? null : formatInstant(time)
}
