import { maxOf } from '../base/domain/common/any-number.ts'
import {
  DELIVERY_KINDS,
  type Delivery,
  pendingOf,
  WEBHOOK_DEFAULTS,
  WEBHOOK_RULES,
  type Webhook,
  type WebhookSettings,
} from '../base/domain/webhook.ts'
import type { Store } from '../engine/store/store.ts'
import { newInput, patchInput } from './input.ts'
import * as doc from './schema.ts'

export const WEBHOOK = doc.record(
  {
    id: doc.integer('Id of the webhook.'),
    ...doc.settingFields<WebhookSettings>(WEBHOOK_RULES),
    state: doc.choice(
      ['on', 'failing', 'off'],
      '`failing`: the last try failed, and the delivery is tried again. `off`: nothing is sent.',
    ),
    off_at: doc.instantOrNull('When it was switched off. Null: it is on.'),
    off_reason: doc.choiceOrNull(
      ['operator', 'failing'],
      'Why it is off. `failing`: one delivery failed for three days. Null: it is on.',
    ),
    failing_since: doc.instantOrNull(
      'The first of the tries that failed in a row. Null: none failed.',
    ),
    failure: doc.textOrNull('Why the last try of the pending delivery failed. Null: it did not.'),
    next_try_at: doc.instantOrNull(
      'When the pending delivery is tried again. Null: at once, or never.',
    ),
    last_delivered_at: doc.instantOrNull(
      'When a delivery last arrived, even if a later one fails. Null: none of the kept deliveries has arrived.',
    ),
    old_secret_until: doc.instantOrNull(
      'Until when the secret before the last rotation signs too. Null: there was no rotation.',
    ),
    created_at: doc.instant('When it was registered.'),
    updated_at: doc.instant('When its settings last changed.'),
  },
  'An endpoint that gets the changes of an organization.',
  'Webhook',
)
export const WEBHOOKS = doc.items(WEBHOOK, 'Webhooks, by id.', 'Webhooks')

export const NEW_WEBHOOK = newInput(
  'NewWebhook',
  WEBHOOK_RULES,
  WEBHOOK_DEFAULTS,
  'A webhook to register.',
)

export const WEBHOOK_PATCH = patchInput(
  'WebhookPatch',
  WEBHOOK_RULES,
  'The settings that change. With other types, ids or included fields, the webhook starts again with a resync.',
  { on: doc.yes('Whether changes are sent.') },
)

export const ISSUED_WEBHOOK = doc.record(
  {
    webhook: WEBHOOK,
    secret: doc.text('The secret that signs deliveries, `whsec_…`. It is shown only once.'),
  },
  'A webhook with its new secret.',
  'IssuedWebhook',
)

export const DELIVERY = doc.record(
  {
    number: doc.integer('Number of the delivery within its webhook.'),
    kind: doc.choice(DELIVERY_KINDS, 'The `type` of the message.'),
    message_id: doc.text('Its `webhook-id`, the same on every try.'),
    entries: doc.integer('How many entries its page has.'),
    created_at: doc.instant('When it was created.'),
    tries: doc.integer('How often it was sent.'),
    tried_at: doc.instantOrNull('The last try. Null: it was not tried yet.'),
    status: doc.integerOrNull('Status of the last answer. Null: there was no answer.'),
    failure: doc.textOrNull('Why the last try failed. Null: it did not.'),
    duration_ms: doc.integerOrNull('Milliseconds until the last answer or failure.'),
    delivered_at: doc.instantOrNull('When it first arrived. Null: it has not.'),
    next_try_at: doc.instantOrNull('When it is tried again. Null: at once, or never.'),
    is_wanted: doc.yes('Whether it is about to be sent once, out of order.'),
  },
  'A delivery, and its last try.',
  'WebhookDelivery',
)
export const DELIVERIES = doc.items(
  DELIVERY,
  'The newest deliveries, the newest first.',
  'WebhookDeliveries',
)

/** The form in the console and on the command line. */
export async function webhookDocument({ webhooks }: Store, webhook: Webhook) {
  const pending = pendingOf(await webhooks.newest(webhook.organization, webhook.id))
  const kept = await webhooks.deliveries(webhook.organization, webhook.id)
  const deliveredAt = maxOf(kept.map((each) => each.deliveredAt ?? 0))
  const { offAt } = webhook
  const failingSince = pending?.failingSince ?? null
  return WEBHOOK.write({
    ...webhook,
    state: offAt !== null ? 'off' : failingSince !== null ? 'failing' : 'on',
    failingSince,
    failure: pending?.failure ?? null,
    nextTryAt: offAt === null ? (pending?.nextTryAt ?? null) : null,
    lastDeliveredAt: deliveredAt > 0 ? deliveredAt : null,
  })
}

export function deliveryDocument(delivery: Delivery) {
  return DELIVERY.write({ ...delivery, messageId: delivery.message })
}
