import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { seal, unseal } from './seal.ts'

/** How the secret of a webhook begins (Standard Webhooks). Base64 of its key follows. */
export const WEBHOOK_SECRET = 'whsec_'

const KEY_BYTES = 32
const PURPOSE = 'fleetgate webhook secrets'

export function newWebhookSecret(): string {
  return WEBHOOK_SECRET + randomBytes(KEY_BYTES).toString('base64')
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
  return seal(deployment, PURPOSE, boundTo(organization), secret)
}

/** Throws if it was sealed by another deployment or for another organization. */
export function openWebhookSecret(
  deployment: KeyObject,
  organization: number,
  stored: Uint8Array,
): string {
  return unseal(deployment, PURPOSE, boundTo(organization), stored)
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

function boundTo(organization: number): string {
  return `webhook of organization ${organization}`
}
