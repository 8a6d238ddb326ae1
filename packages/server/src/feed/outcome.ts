import type { FeedToken } from './feed.ts'
import type { Row } from './packet.ts'

/** What became of a row. `duplicate` and `conflict`: its object has a fix of that moment already. */
export type RowOutcome = 'stored' | 'duplicate' | 'conflict' | Rejected

export type Rejected = {
  reason: string
  message: string
  /** Whether to send it again: it never helps, or it helps later, or it is needless: the packet was noted. */
  resend: 'never' | 'later' | 'needless'
}

/** What takes rows in and stores them. */
export interface Ingest {
  /**
   * Resolves once everything in it is durable, with the outcomes in the order of the rows. Rejects
   * with `StoreUnavailable`, and then nothing is acknowledged.
   */
  take(token: FeedToken, rows: Row[]): Promise<RowOutcome[]>
}
