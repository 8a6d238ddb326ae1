import type { Asked } from './asking.ts'

/**
 * What a SIGTERM made of what was sent at once. `answered`, whole and right, is what everything has to
 * be, but for two things that HTTP/1.1 leaves open. `raced`: it was sent as the server ended a
 * connection that was quiet for a second. `reset`: its connection was made as the port was closed.
 */
export type Fate = 'answered' | 'raced' | 'reset' | 'failed'

/** A little less than the second for which quiet connections are kept: the client's clock is not the server's. */
const QUIET_MS = 900

export function fateOf(asked: Asked, signalledAt: number): Fate {
  const { outcome, madeAt, usedAt, historyAskedAt } = asked
  if (outcome === 'answered') return 'answered'
  if (outcome !== 'none') return 'failed'
  if (madeAt > signalledAt) return 'reset'
  // It said nothing of the end, having begun before; and the second begins when it has left the server.
  const followsHistory =
    historyAskedAt !== undefined && historyAskedAt < signalledAt && usedAt > signalledAt
  return followsHistory || isRaced(asked, signalledAt) ? 'raced' : 'failed'
}

/** Whether it may have been sent as its connection was ended, which nobody would have done before `since`. */
export function isRaced({ outcome, usedAt, sentAt }: Asked, since: number): boolean {
  return outcome === 'none' && sentAt - Math.max(usedAt, since) >= QUIET_MS
}
