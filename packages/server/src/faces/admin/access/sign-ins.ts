import { entriesOf } from '../../../acts/audit/entry.ts'
import { tooManyAttempts } from '../../../acts/refused.ts'
import {
  type AttemptClient,
  afterSuccess,
  codesOf,
  type Decision,
  decide,
  decideAt,
  FORGET_FAILURES_MS,
  FORGET_SIGN_IN_MS,
  isDeviceKnown,
  networkOf,
  originsOf,
  type PacedOrigin,
  signOnsFrom,
  takenBack,
} from '../../../base/access/attempts.ts'
import { DEVICE, newSecret } from '../../../base/access/secret.ts'
import type { AttemptCount } from '../../../base/domain/account.ts'
import type { AuditAction } from '../../../base/domain/audit-entry.ts'
import type { Clock } from '../../../base/domain/time/time.ts'
import { thinning } from '../../../base/http/listener-log.ts'
import type { Store } from '../../../engine/store/store.ts'
import { type FailureEntry, openFailureSeries } from './failure-series.ts'

export const ATTEMPTS = ['sign_in', 'sign_on', 'set_up', 'change_password', 'provider_end'] as const
/**
 * Attempts by callers who may not know the password or the setup link, and by those who come from a provider.
 * `provider_end`: a provider, or somebody else, wants to end sessions.
 */
export type Attempt = (typeof ATTEMPTS)[number]

const FAILED_ACTIONS: Record<Attempt, AuditAction> = {
  sign_in: 'session.sign_in_failed',
  sign_on: 'session.sign_on_failed',
  set_up: 'one_time_url.failed',
  change_password: 'account.change_password_failed',
  provider_end: 'session.provider_end_failed',
}
const LOOK_AT_SERIES_EVERY_MS = 60_000

/** Slows attempts to sign in down, logs them, and enters them in the audit log. */
export type SignIns = {
  /** Counts an attempt at the password. Throws `Refused` with the seconds to wait if it is too early. */
  begin(attempt: Attempt, client: AttemptClient): Promise<void>
  /** Counts an attempt at a code of this account in the same way, after the right password. */
  beginCode(account: number, client: AttemptClient): Promise<void>
  /** The code was right. */
  succeededCode(account: number): Promise<void>
  /** Counts a sign-on from this address that asks the provider. Returns how long it must wait, if it is too early. */
  beginSignOn(address: string): Promise<number>
  /** The provider has confirmed it. */
  succeededSignOn(address: string): Promise<void>
  /** The password was right, and a code is asked for. */
  passed(client: AttemptClient): Promise<void>
  /** Returns the secret by which the browser will be known. */
  succeeded(attempt: Attempt, client: AttemptClient): Promise<string>
  /** `why`: members of the line in the log. */
  failed(attempt: Attempt, client: Pick<AttemptClient, 'address'>, why?: object): void
  /** Enters failures that were counted but not entered yet. */
  close(): Promise<void>
}

export type SignInParts = {
  store: Store
  clock: Clock
  /** Writes a line of the log. `members` are members of a JSON object, as text. */
  line(members: string): void
  failed(error: unknown): void
}

export function openSignIns(parts: SignInParts): SignIns {
  const { store, clock } = parts
  const { log, countFailure, ended, close } = openAttemptLog(parts)
  const { change, waitMs } = attemptCounts(store, clock)

  function refuseEarly(attempt: Attempt, waitMs: number, { address }: AttemptClient): void {
    const seconds = Math.ceil(waitMs / 1_000)
    if (seconds === 0) return
    countFailure(attempt, 'refused', address, { retry_after: seconds })
    throw tooManyAttempts(seconds)
  }

  /** As `waitMs`, of an origin whose count alone decides. */
  function waitMsAt(paced: PacedOrigin): Promise<number> {
    return waitMs([paced.origin], (kept, now) => decideAt(paced, kept, now))
  }

  function forget({ origin }: PacedOrigin): Promise<void> {
    return change([origin], (kept) => kept.map((each) => ({ ...each, failures: 0 })))
  }

  return {
    async begin(attempt, client) {
      const wait = await waitMs(originsOf(client), (kept, now) => decide(client, kept, now))
      refuseEarly(attempt, wait, client)
    },
    async beginCode(account, client) {
      refuseEarly('sign_in', await waitMsAt(codesOf(account)), client)
    },
    succeededCode: (account) => forget(codesOf(account)),
    beginSignOn: (address) => waitMsAt(signOnsFrom(address)),
    succeededSignOn: (address) => forget(signOnsFrom(address)),
    passed: (client) => change(originsOf(client), (kept, now) => takenBack(client, kept, now)),
    async succeeded(attempt, client) {
      log(attempt, 'succeeded', client.address)
      const kept = await store.attempts.of(originsOf(client))
      // Somebody else may have given this browser a secret that they know, so only our own secrets are
      // kept.
      const isKnown = isDeviceKnown(client, kept, clock.now())
      const device = isKnown ? client.device! : newSecret(DEVICE).secret
      const known = { ...client, device }
      await change([...originsOf(client), ...originsOf(known)], (counts, now) =>
        afterSuccess(client, known, counts, now),
      )
      await ended(attempt)
      return device
    },
    failed: (attempt, { address }, why) => countFailure(attempt, 'failed', address, why),
    close,
  }
}

/** The lines of the log and the entries of the audit log. */
function openAttemptLog({ store, clock, line, failed }: SignInParts) {
  const isThinnedOut = thinning(clock)
  const entryOf = entriesOf('console', clock)
  const note = ({ action, ...about }: FailureEntry) => store.audit.add(entryOf(action, about)[0])
  const series = Object.fromEntries(
    ATTEMPTS.map((each) => [each, openFailureSeries(FAILED_ACTIONS[each], note, clock)]),
  ) as Record<Attempt, ReturnType<typeof openFailureSeries>>
  const timer = setInterval(() => void closeSeries(), LOOK_AT_SERIES_EVERY_MS).unref()

  async function closeSeries(): Promise<void> {
    await Promise.all(Object.values(series).map((each) => each.closeIfOver())).catch(failed)
  }

  function log(attempt: Attempt, outcome: string, address: string, more: object = {}): void {
    const entry = { attempt, outcome, address, ...more, msg: 'sign-in attempt' }
    line(JSON.stringify(entry).slice(1, -1))
  }

  return {
    log,
    /** Failures are thinned in the log like wrong API keys. */
    countFailure(attempt: Attempt, outcome: string, address: string, more?: object): void {
      series[attempt].add(address, outcome === 'refused')
      if (!isThinnedOut(networkOf(address))) log(attempt, outcome, address, more)
    },
    /** A success ends a series of failures. */
    ended: (attempt: Attempt) => series[attempt].close(),
    async close(): Promise<void> {
      clearInterval(timer)
      await Promise.all(Object.values(series).map((each) => each.close())).catch(failed)
    },
  }
}

/** The counts of attempts, which all processes share. */
function attemptCounts(store: Pick<Store, 'attempts'>, clock: Clock) {
  function change(
    origins: readonly string[],
    counted: (kept: AttemptCount[], now: number) => AttemptCount[],
  ): Promise<void> {
    const now = clock.now()
    const forget = {
      attemptsBefore: now - FORGET_FAILURES_MS,
      signInsBefore: now - FORGET_SIGN_IN_MS,
    }
    return store.attempts.change(origins, (kept) => counted(kept, now), forget)
  }

  /** How long an attempt must wait. If it need not wait, it is counted. */
  async function waitMs(
    origins: readonly string[],
    decideBy: (kept: readonly AttemptCount[], now: number) => Decision,
  ): Promise<number> {
    // Attempts that come too early write nothing, so that a flood costs little.
    const early = decideBy(await store.attempts.of(origins), clock.now()).waitMs
    if (early > 0) return early
    let left = 0
    await change(origins, (kept, now) => {
      const decision = decideBy(kept, now)
      left = decision.waitMs
      return decision.counts
    })
    return left
  }

  return { change, waitMs }
}
