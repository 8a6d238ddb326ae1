import { StoreUnavailable } from '../store/store.ts'

const REPORT_EVERY_MS = 60_000

/**
 * Reports a failure a minute: one may concern all organizations at once, and last. Outages of the store are all
 * reported, because the log counts them.
 */
export function thinnedFailures(report: (error: unknown) => void): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    const isCounted = error instanceof StoreUnavailable
    if (!isCounted && performance.now() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = performance.now()
    report(error)
  }
}
