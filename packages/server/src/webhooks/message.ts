import { type KeyObject, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { openWebhookSecret, signWebhook } from '../access/webhook-secret.ts'
import { formatInstant } from '../domain/time/time.ts'
import type { Delivery, NewDelivery, Webhook } from '../domain/webhook.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The name of a message to a webhook, the same on every try. */
function newMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

type Content = Pick<NewDelivery, 'kind' | 'cursor' | 'entries'>

/** A delivery of a body, which is stored compressed. */
export async function newDelivery(
  content: Content,
  body: Uint8Array,
  now: number,
): Promise<NewDelivery & { body: Uint8Array }> {
  return { ...content, message: newMessageId(), createdAt: now, body: await compress(body) }
}

/** The text around the data of a body. */
export function aroundData(kind: NewDelivery['kind'], now: number) {
  const before = `{"type":"${kind}","timestamp":"${formatInstant(now)}","data":`
  return { before, after: '}' }
}

/** A resync or a test: a message without data. */
export function emptyDelivery(kind: 'resync' | 'test', now: number): Promise<NewDelivery> {
  const { before, after } = aroundData(kind, now)
  return newDelivery({ kind, cursor: null, entries: 0 }, Buffer.from(`${before}{}${after}`), now)
}

/** `now`: milliseconds since the epoch. */
export async function signedMessage(
  deployment: KeyObject,
  webhook: Webhook,
  { message, body: stored }: Pick<Delivery, 'message' | 'body'>,
  now: number,
): Promise<{ headers: Record<string, string>; body: Uint8Array }> {
  const body = await decompress(stored!)
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
  return { headers, body }
}

/** The secrets that sign: after a rotation two, until the overlap is over. */
function secretsOf(deployment: KeyObject, webhook: Webhook, now: number): string[] {
  const { organization, secret, oldSecret, oldSecretUntil } = webhook
  const isOldValid = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil
  const stored = isOldValid ? [secret, oldSecret] : [secret]
  return stored.map((each) => openWebhookSecret(deployment, organization, each))
}
