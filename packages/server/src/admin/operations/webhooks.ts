import { ROTATION_RULES } from '../../domain/settings/access-settings.ts'
import { inOrder, WEBHOOK_DEFAULTS, WEBHOOK_RULES } from '../../domain/settings/webhook-settings.ts'
import type { Webhook } from '../../domain/webhook.ts'
import { foreignIds } from '../../store/foreign-ids.ts'
import {
  createWebhook,
  deliveryDocument,
  type IssuedWebhook,
  MAX_WEBHOOKS,
  rotateWebhookSecret,
  testWebhook,
  webhookDocument,
} from '../../webhooks/registering.ts'
import type { AdminApi, Call } from '../admin-api.ts'
import { newSettingsIn, refuse, settingsIn } from '../body.ts'
import { type AdminOperation, MANAGE, READ } from '../operation.ts'
import { conflict, invalid, notFound } from '../refused.ts'
import { organizationOf } from './organizations.ts'

const HOUR_MS = 3_600_000
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

const LISTING: AdminOperation[] = [
  {
    id: 'listWebhooks',
    method: 'GET',
    path: ALL,
    scopes: READ,
    tag,
    summary: "List an organization's webhooks",
    status: 200,
    answers: 'webhooks',
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
    scopes: READ,
    tag,
    summary: 'List the newest deliveries to a webhook',
    status: 200,
    answers: 'webhookDeliveries',
    async run(call) {
      const { organization, id } = await webhookOf(call)
      const listed = await call.api.store.webhooks.deliveries(organization, id)
      return { items: listed.map(deliveryDocument) }
    },
  },
]

const CHANGING: AdminOperation[] = [
  {
    id: 'createWebhook',
    method: 'POST',
    path: ALL,
    scopes: MANAGE,
    tag,
    summary: 'Register a webhook, and show its secret only this once',
    takes: 'newWebhook',
    status: 201,
    answers: 'issuedWebhook',
    async run(call) {
      const { api, store, body, now } = call
      const { id } = await organizationOf(call)
      const settings = inOrder(newSettingsIn(WEBHOOK_RULES, body, WEBHOOK_DEFAULTS))
      refuse(await foreignIds(store, id, 'ids', settings.ids))
      return api.inTurn(id, async () => {
        if ((await store.webhooks.list(id)).length >= MAX_WEBHOOKS) {
          throw conflict(`an organization has at most ${MAX_WEBHOOKS} webhooks; delete one first`)
        }
        return issued(api, await createWebhook(store, id, settings, now))
      })
    },
  },
  {
    id: 'updateWebhook',
    method: 'PATCH',
    path: ONE,
    scopes: MANAGE,
    tag,
    summary: 'Change a webhook, or switch it on or off',
    takes: 'webhookPatch',
    status: 200,
    answers: 'webhook',
    async run(call) {
      const { api, store, body, now } = call
      const { organization, id, offAt } = await webhookOf(call)
      const patch = inOrder(settingsIn(WEBHOOK_RULES, body, ['on']))
      const on = onIn(call)
      refuse(await foreignIds(store, organization, 'ids', patch.ids))
      const off = offAt === null ? { offAt: now, offReason: 'operator' as const } : {}
      const switched = on === undefined ? {} : on ? { offAt: null, offReason: null } : off
      const after = await store.webhooks.update(organization, id, { ...patch, ...switched }, now)
      if (after === null) throw notFound('webhook')
      return webhookDocument(api.store, after)
    },
  },
  {
    id: 'deleteWebhook',
    method: 'DELETE',
    path: ONE,
    scopes: MANAGE,
    tag,
    summary: 'Delete a webhook with its deliveries',
    status: 204,
    answers: null,
    async run({ store, params }) {
      const isDeleted = await store.webhooks.delete(params.organization!, params.webhook!)
      if (!isDeleted) throw notFound('webhook')
    },
  },
  {
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: `${ONE}/rotate`,
    scopes: MANAGE,
    tag,
    summary: 'Give a webhook a new secret; the old one also signs for a while',
    takes: 'rotation',
    status: 201,
    answers: 'issuedWebhook',
    async run(call) {
      const { api, store, body, now } = call
      const { overlapHours } = newSettingsIn(ROTATION_RULES, body)
      const webhook = await webhookOf(call)
      const until = now + Math.round(overlapHours * HOUR_MS)
      return issued(api, await rotateWebhookSecret(store, webhook, until, now))
    },
  },
]

const SENDING: AdminOperation[] = [
  {
    id: 'testWebhook',
    method: 'POST',
    path: `${ONE}/test`,
    scopes: MANAGE,
    tag,
    summary: 'Send a test message, outside of the order',
    status: 202,
    answers: 'webhookDelivery',
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
    scopes: MANAGE,
    tag,
    summary: 'Send a delivery again, outside of the order',
    status: 202,
    answers: 'webhookDelivery',
    async run({ store, params }) {
      const { organization, webhook, delivery } = params
      const wanted = await store.webhooks.want(organization!, webhook!, delivery!)
      if (wanted === null) throw notFound('delivery')
      return deliveryDocument(wanted)
    },
  },
]

export const WEBHOOK_OPERATIONS: readonly AdminOperation[] = [...LISTING, ...CHANGING, ...SENDING]
