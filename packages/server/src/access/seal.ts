import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The use of a sealed text. Keys of different purposes have nothing in common. */
export type Purpose = 'fleetgate webhook secrets' | 'fleetgate sign-on'

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
