import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

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
  if (kind !== 'scrypt' || hash === undefined) throw new Error('an unknown kind of password hash')
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
