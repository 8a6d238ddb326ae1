import type { QuotaCount } from '../domain/limits.ts'

/**
 * The port to a lasting copy of the shared quota counters. The copy is written shortly after them, and
 * read if they may have been lost. Calls reject if the copy cannot answer.
 */
export interface QuotaCounts {
  /** The known counters of an organization and day in hundredths, by object. */
  read(organization: number, day: number): Promise<Map<number, number>>
  /** Raises each counter to at least the given one: a later write may carry an earlier counter. */
  write(counts: readonly QuotaCount[]): Promise<void>
}
