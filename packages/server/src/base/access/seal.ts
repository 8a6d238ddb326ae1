import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The use of a sealed text. Keys of different purposes have nothing in common. */
type Purpose = 'fleetgate webhook secrets' | 'fleetgate sign-on'

/**
 * Encrypts and authenticates a text with AES-256-GCM, under a key derived from the deployment's secret. `boundTo` names the
 * one for whom it can be unsealed.
 */
export function seal(
  deployment: KeyObject,
  purpose: Purpose,
  boundTo: string,
  text: string,
): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(deployment, purpose), nonce)
  cipher.setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws if the text was sealed by another deployment, for another purpose or for somebody else, or was changed. */
export function unseal(
  deployment: KeyObject,
  purpose: Purpose,
  boundTo: string,
  sealed: Uint8Array,
): string {
  const [tagAt, textAt] = [NONCE_BYTES, NONCE_BYTES + TAG_BYTES]
  const key = keyOf(deployment, purpose)
  const options = { authTagLength: TAG_BYTES }
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, tagAt), options)
  decipher.setAAD(Buffer.from(boundTo))
  decipher.setAuthTag(sealed.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString()
}

function keyOf(deployment: KeyObject, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', deployment, '', purpose, KEY_BYTES))
}

/** How the secret of a webhook begins (Standard Webhooks). Base64 of its key follows. */
const WEBHOOK_SECRET = 'whsec_'

const WEBHOOK_KEY_BYTES = 32
const WEBHOOK_PURPOSE = 'fleetgate webhook secrets'

export function newWebhookSecret(): string {
  return WEBHOOK_SECRET + randomBytes(WEBHOOK_KEY_BYTES).toString('base64')
}

/**
 * The secret as it is stored: sealed for one organization. The server has to sign with it, so a hash would
 * not do.
 */
export function sealWebhookSecret(
  deployment: KeyObject,
  organization: number,
  secret: string,
): Buffer {
  return seal(deployment, WEBHOOK_PURPOSE, webhooksOf(organization), secret)
}

/** Throws if it was sealed by another deployment or for another organization. */
export function openWebhookSecret(
  deployment: KeyObject,
  organization: number,
  stored: Uint8Array,
): string {
  return unseal(deployment, WEBHOOK_PURPOSE, webhooksOf(organization), stored)
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

function webhooksOf(organization: number): string {
  return `webhook of organization ${organization}`
}
