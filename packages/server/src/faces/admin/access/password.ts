import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { PASSWORD } from '../../../base/domain/access-settings.ts'

/** No password has this stored form. Comparing with it takes as long as with another. */
const OF_NOBODY = `scrypt$32768$8$3$${'A'.repeat(22)}$${'A'.repeat(43)}`

let last: Promise<unknown> = Promise.resolve()

/**
 * A hash takes a core and 32 MiB for 0.1 s. Hash one at a time, so that requests continue meanwhile. Few callers wait
 * here, because attempts at passwords are slowed down before.
 */
function oneByOne<Result>(work: () => Promise<Result>): Promise<Result> {
  const mine = last.then(work)
  last = mine.catch(() => {})
  return mine
}

export function hashInTurn(password: string): Promise<string> {
  return oneByOne(() => hashPassword(password))
}

/**
 * Whether `kept` is the stored form of a password. Null (no such account, or an account without a password) takes as
 * long and is never right, so that the time of an answer does not say who has an account.
 */
export async function isGiven(password: string, kept: string | null): Promise<boolean> {
  // Do not hash a password that cannot have been set.
  if (!PASSWORD.holds(password)) return false
  const isRight = await oneByOne(() => isPassword(password, kept ?? OF_NOBODY))
  return isRight && kept !== null
}

/**
 * scrypt (RFC 7914) with the parameters that OWASP's Password Storage Cheat Sheet rates equal to its
 * first choice: N = 2^15, r = 8, p = 3, in 32 MiB.
 */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
/** scrypt needs 128 * N * r bytes. Node's default limit is exactly that, so allow a little more. */
const MAX_MEMORY = 64 * 1024 * 1024

/** The stored form of a password: `scrypt$N$r$p$salt$hash`, base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, COST)
  const { N, r, p } = COST
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether `kept` is the stored form of this password. Throws if `kept` has another form. */
export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = kept.split('$')
  if (kind !== 'scrypt' || hash === undefined) throw new Error('unknown type of password hash')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const expected = Buffer.from(hash, 'base64url')
  const derived = await derive(password, Buffer.from(salt!, 'base64url'), cost)
  return timingSafeEqual(derived, expected)
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  // Unicode can write one character in several ways. Use one of them, whatever the keyboard sends.
  const text = password.normalize('NFKC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}
