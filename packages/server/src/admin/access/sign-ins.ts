import {
  type AttemptClient,
  afterSuccess,
  decide,
  FORGET_FAILURES_MS,
  FORGET_SIGN_IN_MS,
  isDeviceKnown,
  originsOf,
} from '../../access/attempts.ts'
import { networkOf } from '../../access/network.ts'
import { DEVICE, newSecret } from '../../access/secret.ts'
import type { AttemptCount } from '../../domain/operator.ts'
import type { Clock } from '../../domain/time/clock.ts'
import { thinning } from '../../http/thinning.ts'
import { entriesOf } from '../../operator/audit/entry.ts'
import { tooManyAttempts } from '../../operator/refused.ts'
import type { Store } from '../../store/store.ts'
import { type FailureEntry, openFailureSeries } from './failure-series.ts'

export const ATTEMPTS = ['sign_in', 'set_up', 'change_password'] as const
/** Attempts by callers who may not know the password or the setup link. */
export type Attempt = (typeof ATTEMPTS)[number]

const FAILED_ACTIONS: Record<Attempt, string> = {
  sign_in: 'session.sign_in_failed',
  set_up: 'operator.set_up_failed',
  change_password: 'operator.change_password_failed',
}
const LOOK_AT_SERIES_EVERY_MS = 60_000

/** Slows attempts to sign in down, logs them, and enters them in the audit log. */
export type SignIns = {
  /** Counts an attempt at the password. Throws `Refused` with the seconds to wait if it is too early. */
  begin(attempt: Attempt, client: AttemptClient): Promise<void>
  /** Returns the secret by which the browser will be known. */
  succeeded(attempt: Attempt, client: AttemptClient): Promise<string>
  failed(attempt: Attempt, client: AttemptClient): void
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

export function openSignIns({ store, clock, line, failed }: SignInParts): SignIns {
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

  /** Failures are thinned in the log like wrong API keys. */
  function countFailure(attempt: Attempt, outcome: string, address: string, more?: object): void {
    series[attempt].add(address, outcome === 'refused')
    if (!isThinnedOut(networkOf(address))) log(attempt, outcome, address, more)
  }

  function change(
    client: AttemptClient,
    counted: (kept: AttemptCount[], now: number) => AttemptCount[],
  ): Promise<void> {
    const now = clock.now()
    const forget = {
      attemptsBefore: now - FORGET_FAILURES_MS,
      signInsBefore: now - FORGET_SIGN_IN_MS,
    }
    const { operator } = store
    return operator.changeAttempts(originsOf(client), (kept) => counted(kept, now), forget)
  }

  /** How long an attempt must wait. If it need not wait, it is counted. */
  async function waitMs(client: AttemptClient): Promise<number> {
    const kept = await store.operator.attempts(originsOf(client))
    // Attempts that come too early write nothing, so that a flood costs little.
    const early = decide(client, kept, clock.now()).waitMs
    if (early > 0) return early
    let left = 0
    await change(client, (counts, now) => {
      const decision = decide(client, counts, now)
      left = decision.waitMs
      return decision.counts
    })
    return left
  }

  return {
    async begin(attempt, client) {
      const seconds = Math.ceil((await waitMs(client)) / 1_000)
      if (seconds === 0) return
      countFailure(attempt, 'refused', client.address, { retry_after: seconds })
      throw tooManyAttempts(seconds)
    },
    async succeeded(attempt, client) {
      const { address } = client
      log(attempt, 'succeeded', address)
      const kept = await store.operator.attempts(originsOf(client))
      // Somebody else may have given this browser a secret that they know, so only our own secrets are
      // kept.
      const isKnown = isDeviceKnown(client, kept, clock.now())
      const device = isKnown ? client.device! : newSecret(DEVICE).secret
      await change(client, (counts, now) => afterSuccess({ address, device }, counts, now))
      await series[attempt].close()
      return device
    },
    failed: (attempt, { address }) => countFailure(attempt, 'failed', address),
    async close() {
      clearInterval(timer)
      await Promise.all(Object.values(series).map((each) => each.close())).catch(failed)
    },
  }
}
