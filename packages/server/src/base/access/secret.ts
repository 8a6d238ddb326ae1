import { createHmac, hash, type KeyObject, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Credential } from '../domain/credential.ts'

/**
 * How secrets of each kind begin: API keys, test keys, feed tokens, links, one-time URLs, browser sessions, browsers that
 * signed in before, operator tokens.
 */
export const API_KEY = 'fg_live_'
export const TEST_KEY = 'fg_test_'
export const FEED_TOKEN = 'fg_feed_'
export const LINK = 'fg_link_'
export const ONE_TIME_URL = 'fg_init_'
export const SESSION = 'fg_sess_'
export const DEVICE = 'fg_devi_'
export const OPERATOR_TOKEN = 'fg_oper_'
const KINDS = [
  ...([API_KEY, TEST_KEY, FEED_TOKEN, LINK] as const),
  ...([ONE_TIME_URL, SESSION, DEVICE, OPERATOR_TOKEN] as const),
] as const
export type SecretKind = (typeof KINDS)[number]

/** The secret of an API key: one with a scenario is a test key. */
export function kindOfKey({ scenario }: Pick<Credential, 'scenario'>): SecretKind {
  return scenario === null ? API_KEY : TEST_KEY
}

const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
/** The random characters of a prefix, which is public. */
const PREFIX_RANDOM = 4
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE62_REST = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** A secret, and the parts of it that may be stored. */
type Secret = { secret: string; hash: string; prefix: string; lastFour: string }

/**
 * Makes a secret. The result holds the secret, which is shown once, and the parts that may be stored.
 *
 * A secret is the prefix of its kind (`fg_live_`), 30 random Base62 characters (178 bits), and a checksum
 * of 6: the CRC-32 (IEEE 802.3, as in zip) of the 38 ASCII bytes before it, in Base62 (digits, capitals,
 * small letters stand for 0 to 61), most significant first, padded with `0`. Prefix and checksum let a
 * secret scanner recognize a leaked secret without asking anyone.
 */
export function newSecret(kind: SecretKind): Secret {
  // randomInt avoids the bias of a modulo.
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62[randomInt(BASE62.length)])
  return secretOf(kind, random.join(''))
}

/**
 * The secret of a kind that belongs to a label: the same at each call, so that nothing has to be stored to show it
 * again. `key`: 32 random bytes or more, which must stay as secret as the result.
 */
export function derivedSecret(kind: SecretKind, key: KeyObject, label: string): Secret {
  const digest = createHmac('sha512', key).update(`${kind} ${label}`).digest('hex')
  const base = BigInt(BASE62.length)
  let rest = BigInt(`0x${digest}`)
  const drawn = Array.from({ length: RANDOM_LENGTH }, () => {
    const character = BASE62[Number(rest % base)]
    rest /= base
    return character
  })
  return secretOf(kind, drawn.join(''))
}

function secretOf(kind: SecretKind, drawn: string): Secret {
  const body = kind + drawn
  const secret = body + checksum(body)
  return {
    secret,
    hash: hashSecret(secret),
    prefix: secret.slice(0, kind.length + PREFIX_RANDOM),
    lastFour: secret.slice(-4),
  }
}

/**
 * SHA-256, base64url, as stored and looked up. A secret has 178 random bits, so a slow or salted hash
 * would add nothing.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** Whether a text has the prefix and checksum of a kind, so that a mistyped one is not looked up. */
export function looksLike(kind: SecretKind, text: string): boolean {
  return (
    text.startsWith(kind) &&
    BASE62_REST.test(text.slice(kind.length)) &&
    text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(0, -CHECKSUM_LENGTH))
  )
}

/** The part of a secret that lists and the log show. Undefined if the text is not a secret of any kind. */
export function prefixOf(text: string): string | undefined {
  const kind = KINDS.find((each) => looksLike(each, text))
  return kind === undefined ? undefined : text.slice(0, kind.length + PREFIX_RANDOM)
}

/** More of a secret than its prefix. */
const SECRET = new RegExp(`(${KINDS.join('|')})[0-9A-Za-z]{${PREFIX_RANDOM + 1},}`, 'g')
const OF_WEBHOOK = /\b(whsec_)[0-9A-Za-z+/=]+/g

/** Masks secrets, whole or in part, in a text that is shown or stored. */
export function withoutSecrets(text: string): string {
  const own = text.includes('fg_') ? text.replace(SECRET, '$1…') : text
  const masked = own.includes('whsec_') ? own.replace(OF_WEBHOOK, '$1…') : own
  const whole = masked.includes('://') ? masked.replace(URL_REST, maskUrlRest) : masked
  return whole.includes('@') ? whole.replace(MISTYPED_URL, '…@') : whole
}

/** The rest of a URL after its scheme, as it may be in a sentence or in JSON. */
const URL_REST = /(?<=:\/\/)[^\s"'\\]+/g

/** The credentials of a URL whose slashes are missing: `postgres:user:password@`. Bounded, to take linear time. */
const MISTYPED_URL =
  /(?<=\b(?:postgres|postgresql|redis|rediss|https?):)(?!\/\/)[^\s"'\\]{0,300}@/gi

/** Without user, password, parameters and fragment: any of them may be a secret. */
function maskUrlRest(rest: string): string {
  const place = rest.slice(rest.lastIndexOf('@') + 1)
  return (place === rest ? '' : '…@') + place.replace(/[?#].*$/, '…')
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
