import { RATE_WINDOW } from '../../../packages/server/src/base/domain/limits.ts'

/** One of the continuous requests of an organization; moments of `performance.now()`. */
export type Asked = { sentAt: number; answeredAt: number; isAdmitted: boolean }

const SPAN_MS = RATE_WINDOW.seconds * 1_000
const REQUESTS = RATE_WINDOW.requests

/** The largest number of requests certainly admitted beyond the window within any span. */
export function extraOf(asked: readonly Asked[]): number {
  const admitted = asked.filter(({ isAdmitted }) => isAdmitted)
  const counts = admitted.map(({ sentAt: from }) => {
    return admitted.filter(
      ({ sentAt, answeredAt }) => sentAt >= from && answeredAt < from + SPAN_MS,
    ).length
  })
  return Math.max(0, ...counts.map((count) => count - REQUESTS))
}

/**
 * The longest period of certain, uninterrupted refusals, in milliseconds. A step of the clock starts a new
 * period: it counts from the first refusal after the last step.
 */
export function longestBlock(asked: readonly Asked[], steps: readonly number[]): number {
  let longest = 0
  let refusedAt: number | undefined
  let stepped = 0
  for (const { sentAt, answeredAt, isAdmitted } of asked) {
    const before = steps.filter((at) => at < sentAt).length
    if (isAdmitted || before > stepped) refusedAt = undefined
    stepped = before
    if (isAdmitted) continue
    refusedAt ??= answeredAt
    longest = Math.max(longest, sentAt - refusedAt)
  }
  return longest
}
