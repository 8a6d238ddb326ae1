import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '../../../packages/server/src/base/domain/time/time.ts'
import { isEmbedded } from './deployment.ts'

let aheadMs = 0
let stoppedAt: number | null = null

/** The clock of the servers of this process: the system's, ahead by as much as tests have let pass. */
export const clock = {
  now: () => (stoppedAt ?? systemClock.now()) + aheadMs,
  monotonic: () => systemClock.monotonic() + aheadMs * 1_000,
}

/**
 * Stops the time of day for the servers of this process, so that no test of the file depends on the speed of the machine.
 * Returns a function that lets time pass. It is for tests of what no Redis decides. `at`: another time than now.
 */
export function stopClock(at = systemClock.now()): (ms: number) => void {
  stoppedAt = at
  return (ms) => {
    aheadMs += ms
  }
}

/** How time passes for a server. */
export type Time = { pass(ms: number): Promise<void> }

/** For the servers of this process. A Redis has a clock of its own, so that a test has to wait for it. */
export const HANDED: Time = {
  async pass(ms) {
    if (isEmbedded) aheadMs += Math.ceil(ms)
    else await wait(ms)
  },
}

/** For servers with processes of their own. */
export const REAL: Time = { pass: (ms) => wait(ms) }
