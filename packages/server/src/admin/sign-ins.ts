import {
  afterSuccess,
  decide,
  FORGET_FAILURES_MS,
  FORGET_SIGN_IN_MS,
  originsOf,
} from '../access/attempts.ts'
import { networkOf } from '../access/network.ts'
import type { Clock } from '../domain/clock.ts'
import type { AttemptCount } from '../domain/operator.ts'
import { thinning } from '../http/thinning.ts'
import type { Store } from '../store/store.ts'
import { openFailureSeries } from './failure-series.ts'
import { noting } from './note.ts'
import { tooManyAttempts } from './refused.ts'

export const ATTEMPTS = ['sign_in', 'set_up', 'change_password'] as const
/** What somebody tries who does not have to know the password, or the setup link. */
export type Attempt = (typeof ATTEMPTS)[number]

const FAILED_ACTIONS: Record<Attempt, string> = {
  sign_in: 'session.sign_in_failed',
  set_up: 'operator.set_up_failed',
  change_password: 'operator.change_password_failed',
}
const LOOK_AT_SERIES_EVERY_MS = 60_000
/** No address is longer; what a proxy names as one may be. */
const MAX_ADDRESS_LENGTH = 45

/** What is done about each attempt to sign in: it is slowed down, logged, and entered in the audit log. */
export type SignIns = {
  /** Counts an attempt at the password. Throws `Refused` with the seconds to wait if it is too early. */
  begin(attempt: Attempt, address: string): Promise<void>
  succeeded(attempt: Attempt, address: string): Promise<void>
  failed(attempt: Attempt, address: string): void
  /** Enters the failures that were counted and not entered yet. */
  close(): Promise<void>
}

export type SignInParts = {
  store: Store
  clock: Clock
  /** A line of the log; `members` are those of a JSON object, as text. */
  line(members: string): void
  failed(error: unknown): void
}

export function openSignIns({ store, clock, line, failed }: SignInParts): SignIns {
  const isThinnedOut = thinning(clock)
  const note = noting(store.audit, 'console', clock)
  const series = Object.fromEntries(
    ATTEMPTS.map((each) => [each, openFailureSeries(FAILED_ACTIONS[each], note, clock)]),
  ) as Record<Attempt, ReturnType<typeof openFailureSeries>>
  const timer = setInterval(() => void closeSeries(), LOOK_AT_SERIES_EVERY_MS).unref()

  async function closeSeries(): Promise<void> {
    await Promise.all(Object.values(series).map((each) => each.closeIfOver())).catch(failed)
  }

  function log(attempt: Attempt, outcome: string, address: string, more: object = {}): void {
    const entry = { attempt, outcome, address: shortened(address), ...more, msg: 'sign-in attempt' }
    line(JSON.stringify(entry).slice(1, -1))
  }

  /** Failures are thinned out in the log as wrong API keys are. */
  function countFailure(attempt: Attempt, outcome: string, address: string, more?: object): void {
    series[attempt].add(shortened(address), outcome === 'refused')
    if (!isThinnedOut(networkOf(address))) log(attempt, outcome, address, more)
  }

  function change(
    address: string,
    counted: (kept: AttemptCount[], now: number) => AttemptCount[],
  ): Promise<void> {
    const now = clock.now()
    const forget = {
      attemptsBefore: now - FORGET_FAILURES_MS,
      signInsBefore: now - FORGET_SIGN_IN_MS,
    }
    const { operator } = store
    return operator.changeAttempts(originsOf(address), (kept) => counted(kept, now), forget)
  }

  /** How long an attempt has to wait; where it has not, it is counted. */
  async function waitMs(address: string): Promise<number> {
    const kept = await store.operator.attempts(originsOf(address))
    // A flood of attempts that come too early writes nothing.
    const early = decide(address, kept, clock.now()).waitMs
    if (early > 0) return early
    let left = 0
    await change(address, (counts, now) => {
      const decision = decide(address, counts, now)
      left = decision.waitMs
      return decision.counts
    })
    return left
  }

  return {
    async begin(attempt, address) {
      const seconds = Math.ceil((await waitMs(address)) / 1_000)
      if (seconds === 0) return
      countFailure(attempt, 'refused', address, { retry_after: seconds })
      throw tooManyAttempts(seconds)
    },
    async succeeded(attempt, address) {
      log(attempt, 'succeeded', address)
      await change(address, (kept, now) => afterSuccess(address, kept, now))
      await series[attempt].close()
    },
    failed: (attempt, address) => countFailure(attempt, 'failed', address),
    async close() {
      clearInterval(timer)
      await Promise.all(Object.values(series).map((each) => each.close())).catch(failed)
    },
  }
}

function shortened(address: string): string {
  return address.slice(0, MAX_ADDRESS_LENGTH)
}
