import { hashPassword, isPassword } from '../../access/password.ts'
import { PASSWORD } from '../../domain/access-settings.ts'

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
 * Whether `kept` is the stored form of a password. Null, of nobody or of an account without a password, takes as long and
 * is never right, so that the time of an answer does not say who has an account.
 */
export async function isGiven(password: string, kept: string | null): Promise<boolean> {
  // Do not hash a password that cannot have been set.
  if (!PASSWORD.holds(password)) return false
  const isRight = await oneByOne(() => isPassword(password, kept ?? OF_NOBODY))
  return isRight && kept !== null
}
