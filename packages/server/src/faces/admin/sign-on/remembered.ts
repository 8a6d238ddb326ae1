import { FORGET_FAILURES_MS, FORGET_SIGN_IN_MS } from '../../../base/access/attempts.ts'
import { hashSecret } from '../../../base/access/secret.ts'
import type { AttemptStore, EndedSignOn } from '../../../engine/store/access-store.ts'

/** The memory of single sign-on: for a day, in every process, kept as origins of attempts. */

/** Notes that something is used. False if it was used before. */
export async function useUp(attempts: AttemptStore, origin: string, now: number): Promise<boolean> {
  let isUsed = false
  await remember(attempts, [origin], now, (isKept) => {
    isUsed = isKept
    return !isKept
  })
  return !isUsed
}

/** Notes that the provider ends sessions, for sign-ins that are being finished just then. */
export function noteEnded(
  attempts: AttemptStore,
  { issuer, subject, sid }: EndedSignOn,
  now: number,
): Promise<void> {
  const named = [originOf(issuer, subject, sid)]
  const origins =
    subject === null || sid === null ? named : [...named, originOf(issuer, subject, UNNAMED)]
  return remember(attempts, origins, now, () => true)
}

/** Whether the provider has ended a sign-in of a person since a moment. `sid`: null, if the provider gave none. */
export async function hasEnded(
  attempts: AttemptStore,
  { issuer, subject, sid }: { issuer: string; subject: string; sid: string | null },
  since: number,
): Promise<boolean> {
  const origins = [originOf(issuer, subject, null), originOf(issuer, subject, sid ?? UNNAMED)]
  if (sid !== null) origins.push(originOf(issuer, null, sid))
  return (await attempts.of(origins)).some(({ at }) => at >= since)
}

/** The `sid` of sign-ins to which the provider gives none. No `sid` is a number. */
const UNNAMED = 0

/** Null: any person, or any sign-in. */
function originOf(issuer: string, subject: string | null, sid: string | typeof UNNAMED | null) {
  return `sign-on ended ${hashSecret(JSON.stringify([issuer, subject, sid]))}`
}

/** `isWanted`: whether the origin is to be noted as of now. */
function remember(
  attempts: AttemptStore,
  origins: readonly string[],
  now: number,
  isWanted: (isKept: boolean) => boolean,
): Promise<void> {
  const forget = {
    attemptsBefore: now - FORGET_FAILURES_MS,
    signInsBefore: now - FORGET_SIGN_IN_MS,
  }
  return attempts.change(
    origins,
    (kept) =>
      isWanted(kept.length > 0)
        ? origins.map((origin) => ({ origin, failures: 1, at: now, signedInAt: null }))
        : [],
    forget,
  )
}
