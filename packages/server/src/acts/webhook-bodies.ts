import { maxOf } from '../base/domain/common/any-number.ts'
import type { GrantSettings } from '../base/domain/grant.ts'
import { CREDENTIALS_RULE } from '../base/domain/relay.ts'
import type { Rules } from '../base/domain/setting-rule.ts'
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
import * as doc from './document-schema.ts'
import { GRANTS } from './grants.ts'
import { newInput, patchInput } from './input.ts'

export const WEBHOOK = doc.record(
  {
    id: doc.integer('Id of the webhook.'),
    ...doc.settingFields<WebhookSettings>(WEBHOOK_RULES),
    grants: {
      schema: { ...GRANTS.schema, type: ['array', 'null'] },
      write: (grants: Webhook['grants']) => grants && GRANTS.write(grants),
    },
    has_credentials: doc.yes('Whether it is a relay that presents credentials to its receiver.'),
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
      'Until when the previous secret also signs. Null: there was no rotation.',
    ),
    created_at: doc.instant('When it was registered.'),
    updated_at: doc.instant('When its settings last changed.'),
  },
  'An endpoint that gets the changes of an organization.',
  'Webhook',
)
export const WEBHOOKS = doc.items(WEBHOOK, 'Webhooks, by id.', 'Webhooks')

/** The credentials of a relay are an input only. */
export const GIVEN_RULES: Rules<GivenWebhook> = { ...WEBHOOK_RULES, credentials: CREDENTIALS_RULE }
/** The settings as the operator writes them. */
export type GivenWebhook = Omit<WebhookSettings, 'grants'> & {
  grants: readonly Partial<GrantSettings>[] | null
  credentials: string | null
}

export const NEW_WEBHOOK = newInput(
  'NewWebhook',
  GIVEN_RULES,
  { ...WEBHOOK_DEFAULTS, credentials: null },
  'A webhook to register.',
)

const { form: _, ...changeable } = GIVEN_RULES
/** The form of a webhook never changes. */
export const CHANGEABLE_RULES: Rules<Omit<GivenWebhook, 'form'>> = changeable

export const WEBHOOK_PATCH = patchInput(
  'WebhookPatch',
  CHANGEABLE_RULES,
  'The settings that change. With other types, ids or included fields, the webhook starts again with a resync.',
  { on: doc.yes('Whether changes are sent.') },
)

export const ISSUED_WEBHOOK = doc.record(
  {
    webhook: WEBHOOK,
    secret: doc.textOrNull(
      'The secret that signs deliveries, `whsec_…`. It is shown only once. Null: a relay, which has credentials instead.',
    ),
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
    status: doc.integerOrNull(
      'Status of the last answer, or its MQTT reason code. Null: there was no answer.',
    ),
    failure: doc.textOrNull(
      'Why the last try failed, with the beginning of a refusal’s text. Null: it did not.',
    ),
    arrived: doc.integer('How many of its entries arrived.'),
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
    hasCredentials: webhook.form !== 'changes' && webhook.secret !== null,
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
