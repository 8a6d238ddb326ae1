import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { matching } from '../domain/rule.ts'

/**
 * scrypt (RFC 7914) with what OWASP's Password Storage Cheat Sheet gives as equal to its first choice:
 * N = 2^15, r = 8, p = 3, in 32 MiB.
 */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
/** scrypt takes 128 * N * r bytes; Node's own bound is just that, and a little more is taken. */
const MAX_MEMORY = 64 * 1024 * 1024

/** Length alone, as NIST SP 800-63B has it: rules of composition make passwords worse. */
export const PASSWORD = matching(
  '12 to 200 characters',
  (value) => [...value].length >= 12 && [...value].length <= 200,
)

/** What is kept of a password: `scrypt$N$r$p$salt$hash`, base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, COST)
  const { N, r, p } = COST
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether it is the password of which `kept` was kept; throws where `kept` is nothing of that kind. */
export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = kept.split('$')
  if (kind !== 'scrypt' || hash === undefined) throw new Error('an unknown kind of password hash')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const expected = Buffer.from(hash, 'base64url')
  const derived = await derive(password, Buffer.from(salt!, 'base64url'), cost)
  return timingSafeEqual(derived, expected)
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  // One character has one form, however a keyboard puts it together.
  const text = password.normalize('NFKC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}
