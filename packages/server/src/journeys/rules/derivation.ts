import type { RecordDelete, RecordPut, StoredRecord } from '../../domain/record.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import type { Work } from '../../tracking/work.ts'
import type { PlaceIndex } from './place-index.ts'
import type { Progress } from './progress.ts'

/** One object's rows and records, as a store reads them. */
export type RecordSource = {
  /** The rows later than `time`, in order, at most `limit`. */
  rows(after: number, limit: number): Work<readonly TrackRow[]>
  /** The newest stop with a checkpoint that starts before `time`. */
  stopBefore(time: number): Work<StoredRecord | null>
  /** The records that start at `time` or later, end there or later, or are open, in any order. */
  recordsFrom(time: number): Work<readonly StoredRecord[]>
}

export type Derivation = {
  readonly source: RecordSource
  /** The progress of the last derivation, which this one changes in place. Null: there was none. */
  readonly progress: Progress | null
  /**
   * The times of rows that were added or changed since then, those from which on counters shifted, and those
   * that an edited place may concern. The derivation reads no row behind the last of them.
   */
  readonly touched: readonly TimeRange[]
  readonly places: PlaceIndex
  /** Returns an id that no record of the organization has. */
  readonly nextId: () => number
  /** The time that changed records get. */
  readonly now: number
  /** A promise to await before the next row, so that others run. Null: it is not their turn yet. */
  readonly pause?: () => Promise<void> | null
  /** The derivation ends after about this many rows, as soon as it can be continued. */
  readonly limit: number
}

export type Derived = {
  readonly puts: RecordPut[]
  readonly deletes: RecordDelete[]
  /** Null: the object has no rows. */
  readonly progress: Progress | null
  /** The ranges that are left for another derivation. */
  readonly unfinished: TimeRange[]
  /** The number of rows derived. */
  readonly rows: number
}

/** A time before any row. */
export const BEFORE_ALL = -1

/** The longest read. The first one is short, because most derivations need a row or two. */
export const CHUNK_ROWS = 500
export const FIRST_CHUNK_ROWS = 16
