import type { QuotaCount } from '../domain/quota-count.ts'

/**
 * The port to a copy of the quota's counters that outlasts the shared ones: written a moment behind
 * them, and read when they may have been lost. Rejects where it cannot answer.
 */
export interface QuotaCounts {
  /** By object; those that it knows of. */
  read(organization: number, day: number): Promise<Map<number, number>>
  /** Each becomes at least what is given: who writes later may have counted earlier. */
  write(counts: readonly QuotaCount[]): Promise<void>
}
