import type { Row } from './packet.ts'

/** What became of a row. `duplicate` and `conflict`: its object has a fix of that moment already. */
export type RowOutcome =
  | 'stored'
  | 'duplicate'
  | 'conflict'
  /** `final`: sending it again can never help, and the sender should know. */
  | { reason: string; message: string; final: boolean }

/** What takes rows in and stores them. */
export interface Ingest {
  /**
   * Resolves once everything in it is durable, with the outcomes in the order of the rows. Rejects
   * with `StoreUnavailable`, and then nothing is acknowledged.
   */
  take(organization: number, rows: Row[]): Promise<RowOutcome[]>
}
