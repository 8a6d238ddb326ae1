/** One request of an organization that asks on and on; moments of `performance.now()`. */
export type Asked = { sentAt: number; answeredAt: number; isAdmitted: boolean }

const SPAN_MS = 10_000
const REQUESTS = 10

/** How many requests were certainly admitted beyond ten in some ten seconds, at the most. */
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
 * The longest time for which it was certainly refused each time that it asked, in milliseconds. A step
 * of the clock begins it anew: counted is from the first refusal on that came after the last step.
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
