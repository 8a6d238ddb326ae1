import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { openWebhookSecret, signWebhook } from '../../base/access/seal.ts'
import type { Delivery, Webhook } from '../../base/domain/webhook.ts'
import { secretParts } from './answer-text.ts'
import type { Outgoing } from './outgoing.ts'
import { relayed } from './relay-forms.ts'

/*
 * From a stored delivery to what a try sends.
 */

const decompress = promisify(gunzip)

type Stored = Pick<Delivery, 'kind' | 'message' | 'body'>

/** The requests or messages of a delivery, after the entries that `arrived` before. `now`: milliseconds since the epoch. */
export async function outgoingOf(
  deployment: KeyObject,
  webhook: Webhook,
  delivery: Stored,
  arrived: number,
  now: number,
): Promise<Outgoing> {
  const { form, organization, secret, url } = webhook
  const body = await decompress(delivery.body!)
  if (form === 'changes') return signedMessage(deployment, webhook, delivery.message, body, now)
  const credentials = secret && openWebhookSecret(deployment, organization, secret)
  // A relay cannot take back, so a resync sends nothing.
  const positions = delivery.kind === 'changes' ? JSON.parse(body.toString()) : []
  return relayed(form, { url }, credentials, positions.slice(arrived))
}

function signedMessage(
  deployment: KeyObject,
  webhook: Webhook,
  message: string,
  body: Uint8Array,
  now: number,
): Outgoing {
  const timestamp = Math.floor(now / 1_000)
  const signatures = secretsOf(deployment, webhook, now).map((secret) =>
    signWebhook(secret, message, timestamp, body),
  )
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Fleetgate-Webhooks',
    'webhook-id': message,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
  const { url } = webhook
  return { url, hidden: secretParts(url, null), requests: [{ method: 'POST', url, headers, body }] }
}

/** The secrets that sign: after a rotation two, until the overlap is over. */
function secretsOf(deployment: KeyObject, webhook: Webhook, now: number): string[] {
  const { organization, secret, oldSecret, oldSecretUntil } = webhook
  const isOldValid = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil
  const stored = isOldValid ? [secret!, oldSecret] : [secret!]
  return stored.map((each) => openWebhookSecret(deployment, organization, each))
}
