import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** How the secret of a webhook begins (Standard Webhooks). Base64 of its key follows. */
export const WEBHOOK_SECRET = 'whsec_'

const KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function newWebhookSecret(): string {
  return WEBHOOK_SECRET + randomBytes(KEY_BYTES).toString('base64')
}

/**
 * The secret as it is stored: AES-256-GCM under a key of the deployment's secret, for one organization. The
 * server has to sign with it, so a hash would not do.
 */
export function sealWebhookSecret(
  deployment: KeyObject,
  organization: number,
  secret: string,
): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealingKey(deployment), nonce)
  cipher.setAAD(boundTo(organization))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws if it was sealed by another deployment or for another organization. */
export function openWebhookSecret(
  deployment: KeyObject,
  organization: number,
  stored: Uint8Array,
): string {
  const [tagAt, textAt] = [NONCE_BYTES, NONCE_BYTES + TAG_BYTES]
  const decipher = createDecipheriv(CIPHER, sealingKey(deployment), stored.subarray(0, tagAt))
  decipher.setAAD(boundTo(organization))
  decipher.setAuthTag(stored.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(stored.subarray(textAt)), decipher.final()]).toString()
}

/** The signature of a message by Standard Webhooks, version 1. `timestamp`: seconds since the epoch. */
export function signWebhook(
  secret: string,
  message: string,
  timestamp: number,
  body: Uint8Array,
): string {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET.length), 'base64')
  const signature = createHmac('sha256', key).update(`${message}.${timestamp}.`).update(body)
  return `v1,${signature.digest('base64')}`
}

function sealingKey(deployment: KeyObject): Buffer {
  return Buffer.from(hkdfSync('sha256', deployment, '', 'fleetgate webhook secrets', KEY_BYTES))
}

function boundTo(organization: number): Buffer {
  return Buffer.from(`webhook of organization ${organization}`)
}
