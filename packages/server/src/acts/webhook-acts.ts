import { newWebhookSecret, sealWebhookSecret } from '../base/access/seal.ts'
import { discloseeFault } from '../base/domain/credential.ts'
import { limitingOrNull, readGrants } from '../base/domain/grant.ts'
import { formFault } from '../base/domain/relay.ts'
import type { Fault } from '../base/domain/setting-rule.ts'
import { HOUR_MS } from '../base/domain/time/time.ts'
import { inOrder, MAX_WEBHOOKS, originOf, type Webhook } from '../base/domain/webhook.ts'
import { foreignIds } from '../engine/store/item-store.ts'
import type { Store } from '../engine/store/store.ts'
import { emptyDelivery } from '../work/webhooks/deliveries.ts'
import { type ActCall, ADMINISTRATORS, acts, OVERSEERS, organizationOf } from './act.ts'
import { ROTATION } from './credential-bodies.ts'
import { refuseForeign } from './grants.ts'
import { refuse } from './input.ts'
import { conflict, existing, invalid } from './refused.ts'
import {
  DELIVERIES,
  DELIVERY,
  deliveryDocument,
  type GivenWebhook,
  ISSUED_WEBHOOK,
  NEW_WEBHOOK,
  WEBHOOK,
  WEBHOOK_PATCH,
  WEBHOOKS,
  webhookDocument,
} from './webhook-bodies.ts'

const ALL = '/organizations/{organization}/webhooks'
const ONE = `${ALL}/{webhook}`

export const WEBHOOK_ACTS = acts('Webhooks', {
  listWebhooks: {
    method: 'GET',
    path: ALL,
    who: OVERSEERS,
    summary: "List an organization's webhooks",
    answers: WEBHOOKS,
    async run(call) {
      const { id } = await organizationOf(call)
      const listed = await call.store.webhooks.list(id)
      return { items: await Promise.all(listed.map((each) => webhookDocument(call.store, each))) }
    },
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: `${ONE}/deliveries`,
    who: OVERSEERS,
    summary: 'List the newest deliveries to a webhook',
    answers: DELIVERIES,
    async run(call) {
      const { organization, id } = await webhookOf(call)
      const listed = await call.store.webhooks.deliveries(organization, id)
      return { items: listed.map(deliveryDocument) }
    },
  },
  createWebhook: {
    method: 'POST',
    path: ALL,
    who: ADMINISTRATORS,
    summary: 'Register a webhook or a relay, and show its secret once',
    takes: NEW_WEBHOOK,
    answers: ISSUED_WEBHOOK,
    async run(call) {
      const { store, body, now } = call
      const owner = await organizationOf(call)
      const { id } = owner
      const { credentials, grants: given, ...chosen } = inOrder(NEW_WEBHOOK.in(body))
      refuse(formFault(chosen.form, { ...chosen, credentials }))
      refuse(discloseeFault(owner, { ...chosen, scenario: null }))
      const grants = await grantsIn(store, id, given)
      const settings = { ...chosen, grants }
      return call.inTurn(id, async () => {
        refuse(await foreignIds(store, id, 'ids', settings.ids))
        if ((await store.webhooks.list(id)).length >= MAX_WEBHOOKS) {
          throw conflict(`an organization has at most ${MAX_WEBHOOKS} webhooks; delete one first`)
        }
        const isRelay = settings.form !== 'changes'
        const { secret, sealed } = isRelay
          ? { secret: null, sealed: await sealedOrNull(store, id, credentials) }
          : await newSecret(store, id)
        const webhook = await store.webhooks.create(id, { ...settings, secret: sealed }, now)
        return { webhook: await webhookDocument(store, webhook), secret }
      })
    },
  },
  updateWebhook: {
    method: 'PATCH',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Change a webhook, or switch it on or off',
    takes: WEBHOOK_PATCH,
    answers: WEBHOOK,
    async run(call) {
      const { store, body, now } = call
      const before = await webhookOf(call)
      const { organization, id, form, offAt } = before
      const { credentials, grants: given, ...patch } = WEBHOOK_PATCH.in(body)
      if ('recipient' in patch || 'purpose' in patch) {
        const owner = await organizationOf(call)
        refuse(discloseeFault(owner, { ...before, ...patch, scenario: null }))
      }
      const granted =
        given === undefined
          ? {}
          : { grants: await grantsIn(store, organization, given, before.grants) }
      refuse(formFault(form, { ...patch, credentials: credentials ?? null }))
      if (credentials === undefined) refuse(misledFault(before, patch.url))
      refuse(await foreignIds(store, organization, 'ids', patch.ids))
      if (body.on === true) refuseUnsigned(before)
      const switched = switchedBy(body.on, offAt, now)
      const sealed =
        form === 'changes' || credentials === undefined
          ? {}
          : { secret: await sealedOrNull(store, organization, credentials) }
      const changed = { ...inOrder(patch), ...granted, ...switched, ...sealed }
      return webhookDocument(
        store,
        existing(await store.webhooks.update(organization, id, changed, now), 'webhook'),
      )
    },
  },
  deleteWebhook: {
    method: 'DELETE',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Delete a webhook with its deliveries',
    async run({ store, params }) {
      const { organization, webhook } = params
      existing(await store.webhooks.delete(organization!, webhook!), 'webhook')
    },
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: `${ONE}/rotate`,
    who: ADMINISTRATORS,
    summary: 'Give a webhook a new secret; the old one also signs for a while',
    takes: ROTATION,
    answers: ISSUED_WEBHOOK,
    async run(call) {
      const { store, body, now } = call
      const { overlapHours } = ROTATION.in(body)
      const { organization, id, form, secret: oldSecret } = await webhookOf(call)
      if (form !== 'changes') throw conflict('a relay has no secret; change its credentials')
      const { secret, sealed } = await newSecret(store, organization)
      const oldSecretUntil = now + Math.round(overlapHours * HOUR_MS)
      const patch = { secret: sealed, oldSecret, oldSecretUntil }
      const webhook = existing(await store.webhooks.update(organization, id, patch, now), 'webhook')
      return { webhook: await webhookDocument(store, webhook), secret }
    },
  },
  testWebhook: {
    method: 'POST',
    path: `${ONE}/test`,
    who: ADMINISTRATORS,
    summary: 'Send a test message, out of order',
    mayConflict: true,
    status: 202,
    answers: DELIVERY,
    async run(call) {
      const { store, now } = call
      const webhook = await webhookOf(call)
      const { organization, id, form } = webhook
      if (form !== 'changes')
        throw conflict('a relay sends positions only, and has no test message')
      refuseUnsigned(webhook)
      const message = await emptyDelivery('test', now)
      return deliveryDocument(
        existing(await store.webhooks.addTest(organization, id, message), 'webhook'),
      )
    },
  },
  repeatWebhookDelivery: {
    method: 'POST',
    path: `${ONE}/deliveries/{delivery}/repeat`,
    who: ADMINISTRATORS,
    summary: 'Send a delivery again, out of order',
    status: 202,
    answers: DELIVERY,
    async run({ store, params }) {
      const { organization, webhook, delivery } = params
      const wanted = await store.webhooks.want(organization!, webhook!, delivery!)
      return deliveryDocument(existing(wanted, 'delivery'))
    },
  },
})

async function webhookOf({ store, params }: ActCall): Promise<Webhook> {
  return existing(await store.webhooks.find(params.organization!, params.webhook!), 'webhook')
}

/** A webhook from an archive has no secret. */
function refuseUnsigned({ form, secret }: Webhook): void {
  if (form === 'changes' && secret === null) {
    throw conflict('the webhook came from an archive without its secret; rotate its secret first')
  }
}

/** A new secret, and the form in which it is stored. */
async function newSecret(store: Store, organization: number) {
  const secret = newWebhookSecret()
  return { secret, sealed: sealWebhookSecret(await store.secret(), organization, secret) }
}

/** The grants of a body. Null: nothing is limited. Throws `Refused` if they have a fault. */
async function grantsIn(
  store: Store,
  organization: number,
  given: GivenWebhook['grants'],
  before: Webhook['grants'] = null,
): Promise<Webhook['grants']> {
  if (given === null) return null
  const grants = readGrants(given)
  if ('rule' in grants) throw invalid(grants)
  const limiting = limitingOrNull(grants)
  await refuseForeign(store, organization, limiting, before)
  return limiting
}

/** The credentials of a relay as they are stored. */
async function sealedOrNull(store: Store, organization: number, credentials: string | null) {
  if (credentials === null) return null
  return sealWebhookSecret(await store.secret(), organization, credentials)
}

/** The stored credentials of a relay are for the host that they were given for. */
function misledFault({ form, url, secret }: Webhook, next: string | undefined): Fault | undefined {
  if (form === 'changes' || secret === null || next === undefined) return undefined
  if (originOf(next) === originOf(url)) return undefined
  return {
    field: 'credentials',
    rule: 'is required when the host of the URL changes; null removes the credentials',
  }
}

/** The changes by `on` of a body. A webhook that is off stays off since then. */
function switchedBy(on: unknown, offAt: number | null, now: number) {
  if (on === undefined) return {}
  if (on === true) return { offAt: null, offReason: null }
  if (on !== false) throw invalid({ field: 'on', rule: 'must be true or false' })
  return offAt === null ? { offAt: now, offReason: 'operator' as const } : {}
}
