import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'fg_live_'
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/**
 * A new key, its owner's only sight of it, and what may be kept of it.
 *
 * A key is `fg_live_`, 30 random Base62 characters (178 bits), and a checksum of 6: the CRC-32
 * (IEEE 802.3, as in zip) of the 38 ASCII bytes before it, in Base62 with digits, then capitals,
 * then small letters as digits 0 to 61, most significant first, padded with `0`. The fixed start
 * and the checksum let a secret scanner tell a leaked key from any other text without asking anyone.
 */
export function newApiKey(): { key: string; hash: string; prefix: string; lastFour: string } {
  // randomInt rejects what would make the first characters likelier than the last.
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)])
  const body = PREFIX + secret.join('')
  const key = body + checksum(body)
  return {
    key,
    hash: hashApiKey(key),
    prefix: key.slice(0, PREFIX.length + 4),
    lastFour: key.slice(-4),
  }
}

/**
 * SHA-256, base64url: what is stored and looked up. A key has 178 random bits, so a slow or salted
 * hash would add nothing.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Whether a text has a key's shape and checksum, so that a mistyped one is not even looked up. */
export function looksLikeApiKey(text: string): boolean {
  return (
    SHAPE.test(text) && text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(0, -CHECKSUM_LENGTH))
  )
}

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}
