import type { Asked } from './asking.ts'

/**
 * The effect of a SIGTERM on requests sent at once. Everything must be `answered`, complete and right, except two
 * cases that HTTP/1.1 leaves open. `raced`: it was sent while the server closed a connection that had been idle
 * for a second. `reset`: its connection was made while the port was closed.
 */
export type Fate = 'answered' | 'raced' | 'reset' | 'failed'

/** A little less than the idle timeout of one second: the clocks of client and server differ. */
const QUIET_MS = 900

export function fateOf(asked: Asked, signalledAt: number): Fate {
  const { outcome, madeAt, usedAt, historyAskedAt } = asked
  if (outcome === 'answered') return 'answered'
  if (outcome !== 'none') return 'failed'
  if (madeAt > signalledAt) return 'reset'
  // The history began before the signal, so its head does not announce the end. The second begins when the
  // history has left the server.
  const followsHistory =
    historyAskedAt !== undefined && historyAskedAt < signalledAt && usedAt > signalledAt
  return followsHistory || isRaced(asked, signalledAt) ? 'raced' : 'failed'
}

/** Whether it may have been sent while its connection was closed, which cannot have been before `since`. */
export function isRaced({ outcome, usedAt, sentAt }: Asked, since: number): boolean {
  return outcome === 'none' && sentAt - Math.max(usedAt, since) >= QUIET_MS
}
