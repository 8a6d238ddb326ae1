import type { FeedToken } from './feed.ts'
import type { Row } from './packet.ts'

/** The outcome of a row. `duplicate` and `conflict`: its object already had a fix of that moment. */
export type RowOutcome = 'stored' | 'duplicate' | 'conflict' | Rejected

export type Rejected = {
  reason: string
  message: string
  /** Whether to send the row again: never, later, or needless because the packet was noted. */
  resend: 'never' | 'later' | 'needless'
}

/** Stores the rows of the feed. */
export interface Ingest {
  /**
   * Resolves once all rows are durable, with the outcomes in the order of the rows. Rejects with
   * `StoreUnavailable`; nothing is acknowledged then.
   */
  take(token: FeedToken, rows: Row[]): Promise<RowOutcome[]>
}
