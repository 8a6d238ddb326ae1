import { HOUR_MS } from '../../domain/time/time.ts'
import type { Webhook } from '../../domain/webhook.ts'
import { ROTATION } from '../../operator/credentials.ts'
import { invalid, notFound } from '../../operator/refused.ts'
import {
  changeWebhook,
  createWebhook,
  DELIVERIES,
  DELIVERY,
  deliveryDocument,
  ISSUED_WEBHOOK,
  type IssuedWebhook,
  NEW_WEBHOOK,
  rotateWebhookSecret,
  testWebhook,
  WEBHOOK,
  WEBHOOK_PATCH,
  WEBHOOKS,
  webhookDocument,
} from '../../operator/webhooks.ts'
import { ADMINISTRATORS, type AdminApi, type Call, OVERSEERS, operations } from '../admin-api.ts'
import { organizationOf } from './organizations.ts'

const ALL = '/organizations/{organization}/webhooks'
const ONE = `${ALL}/{webhook}`
const tag = 'Webhooks'

async function webhookOf({ api, params }: Call): Promise<Webhook> {
  const found = await api.store.webhooks.find(params.organization!, params.webhook!)
  if (found === null) throw notFound('webhook')
  return found
}

async function issued(api: AdminApi, made: IssuedWebhook | null) {
  if (made === null) throw notFound('webhook')
  return { webhook: await webhookDocument(api.store, made.webhook), secret: made.secret }
}

/** Whether a body switches the webhook on or off. Undefined: it says nothing of it. */
function onIn({ body }: Call): boolean | undefined {
  const { on } = body
  if (on === undefined || typeof on === 'boolean') return on
  throw invalid({ field: 'on', rule: 'must be true or false' })
}

const LISTING = operations(tag, [
  {
    id: 'listWebhooks',
    method: 'GET',
    path: ALL,
    who: OVERSEERS,
    summary: "List an organization's webhooks",
    answers: WEBHOOKS,
    async run(call) {
      const { id } = await organizationOf(call)
      const listed = await call.api.store.webhooks.list(id)
      return {
        items: await Promise.all(listed.map((each) => webhookDocument(call.api.store, each))),
      }
    },
  },
  {
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: `${ONE}/deliveries`,
    who: OVERSEERS,
    summary: 'List the newest deliveries to a webhook',
    answers: DELIVERIES,
    async run(call) {
      const { organization, id } = await webhookOf(call)
      const listed = await call.api.store.webhooks.deliveries(organization, id)
      return { items: listed.map(deliveryDocument) }
    },
  },
])

const CHANGING = operations(tag, [
  {
    id: 'createWebhook',
    method: 'POST',
    path: ALL,
    who: ADMINISTRATORS,
    summary: 'Register a webhook, and show its secret once',
    takes: NEW_WEBHOOK,
    answers: ISSUED_WEBHOOK,
    async run(call) {
      const { api, store, body, now } = call
      const { id } = await organizationOf(call)
      const settings = NEW_WEBHOOK.in(body)
      return api.inTurn(id, async () => issued(api, await createWebhook(store, id, settings, now)))
    },
  },
  {
    id: 'updateWebhook',
    method: 'PATCH',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Change a webhook, or switch it on or off',
    takes: WEBHOOK_PATCH,
    answers: WEBHOOK,
    async run(call) {
      const { api, store, body, now } = call
      const webhook = await webhookOf(call)
      const patch = WEBHOOK_PATCH.in(body)
      const after = await changeWebhook(store, webhook, patch, onIn(call), now)
      if (after === null) throw notFound('webhook')
      return webhookDocument(api.store, after)
    },
  },
  {
    id: 'deleteWebhook',
    method: 'DELETE',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Delete a webhook with its deliveries',
    async run({ store, params }) {
      const isDeleted = await store.webhooks.delete(params.organization!, params.webhook!)
      if (!isDeleted) throw notFound('webhook')
    },
  },
  {
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: `${ONE}/rotate`,
    who: ADMINISTRATORS,
    summary: 'Give a webhook a new secret; the old one also signs for a while',
    takes: ROTATION,
    answers: ISSUED_WEBHOOK,
    async run(call) {
      const { api, store, body, now } = call
      const { overlapHours } = ROTATION.in(body)
      const webhook = await webhookOf(call)
      const until = now + Math.round(overlapHours * HOUR_MS)
      return issued(api, await rotateWebhookSecret(store, webhook, until, now))
    },
  },
])

const SENDING = operations(tag, [
  {
    id: 'testWebhook',
    method: 'POST',
    path: `${ONE}/test`,
    who: ADMINISTRATORS,
    summary: 'Send a test message, out of order',
    status: 202,
    answers: DELIVERY,
    async run({ store, params, now }) {
      const test = await testWebhook(store, params.organization!, params.webhook!, now)
      if (test === null) throw notFound('webhook')
      return deliveryDocument(test)
    },
  },
  {
    id: 'repeatWebhookDelivery',
    method: 'POST',
    path: `${ONE}/deliveries/{delivery}/repeat`,
    who: ADMINISTRATORS,
    summary: 'Send a delivery again, out of order',
    status: 202,
    answers: DELIVERY,
    async run({ store, params }) {
      const { organization, webhook, delivery } = params
      const wanted = await store.webhooks.want(organization!, webhook!, delivery!)
      if (wanted === null) throw notFound('delivery')
      return deliveryDocument(wanted)
    },
  },
])

export const WEBHOOK_OPERATIONS = [...LISTING, ...CHANGING, ...SENDING]
