import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashSecret } from './secret.ts'

/**
 * Codes by time (TOTP, RFC 6238) as authenticator apps compute them: HMAC-SHA-1, steps of 30 seconds from the epoch, six
 * digits.
 */

const STEP_MS = 30_000
const DIGITS = 6
/** A code is taken one step early or late, because clocks differ and typing takes time. */
const DRIFT_STEPS = 1
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

/** A secret in Base32 (RFC 4648, without padding), as apps take it. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES))
}

/** Whether a text has the form of `newTotpSecret`. */
export function isTotpSecret(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Z2-7]{32}$/.test(text)
}

/** The address that an app reads from a QR code. */
export function totpUri(secret: string, email: string): string {
  return `otpauth://totp/${encodeURIComponent(`Fleetgate:${email}`)}?secret=${secret}&issuer=Fleetgate`
}

/** The code of a step: `now` divided by 30 seconds. */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = mac[mac.length - 1]! & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export function stepAt(now: number): number {
  return Math.floor(now / STEP_MS)
}

/** The step whose code this is, at about this time. Undefined if the code is not valid now. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const given = Buffer.from(code)
  const steps = Array.from({ length: 2 * DRIFT_STEPS + 1 }, (_, i) => stepAt(now) - DRIFT_STEPS + i)
  return steps.find((step) => timingSafeEqual(given, Buffer.from(codeOf(secret, step))))
}

/** Codes for the loss of the device: shown once, each to be used once. Only `hashRecoveryCode` of them is stored. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    toBase32(randomBytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g)!.join('-'),
  )
}

/** However somebody types it. A code has 80 random bits, so a slow hash would add nothing. */
export function hashRecoveryCode(code: string): string {
  return hashSecret(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}

function toBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits
    .match(/.{5}/g)!
    .map((five) => BASE32[Number.parseInt(five, 2)])
    .join('')
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (each) => BASE32.indexOf(each).toString(2).padStart(5, '0')).join(
    '',
  )
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}
