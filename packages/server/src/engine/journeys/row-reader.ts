import { type InTurn, openTurns, SLICE_MS, takeTurn } from '../../base/domain/common/slots.ts'
import type { RecordView } from '../store/record-store.ts'
import type { TrackRow } from '../tracking/track-row.ts'

/** The first reads are small, because most ranges end soon. */
const FIRST_ROWS = 200

const GROWTH = 4

const MAX_ROWS = 1_000

/** A read takes as long as this many rows: 20 on SQLite, 200 on PostgreSQL. */
const ROWS_OF_A_READ = 100

export type StoredRows = Pick<RecordView, 'rows' | 'rowsBefore'>

/** Reads the rows of objects in chunks, at constant memory, and lets others run in between. */
export class RowReader {
  /** The rows that were read. Each read also counts as the number of rows that take as long. */
  cost = 0
  /** The time of the oldest row that was read before others. Infinite: there was none. */
  oldest = Number.POSITIVE_INFINITY
  /** The time of the row after the asked days that made the last of them final. Infinite: they may still change. */
  settledAt = Number.POSITIVE_INFINITY
  private readonly stored: StoredRows
  private turnAt = performance.now() + SLICE_MS

  constructor(stored: StoredRows) {
    this.stored = stored
  }

  /** The rows of an object from a moment on, in order. No chunk is empty. */
  async *from(object: number, time: number): AsyncGenerator<readonly TrackRow[]> {
    let after = time - 1
    for (let size = FIRST_ROWS; ; size = Math.min(size * GROWTH, MAX_ROWS)) {
      const chunk = await this.take(this.stored.rows(object, after, size))
      if (chunk.length > 0) yield chunk
      if (chunk.length < size) return
      after = chunk.at(-1)!.time
    }
  }

  /** The rows of an object before a moment, newest first, `first` of them in the first chunk. No chunk is empty. */
  async *before(object: number, time: number, first = 1): AsyncGenerator<readonly TrackRow[]> {
    let before = time
    for (let size = first; ; size = Math.min(size * GROWTH, MAX_ROWS)) {
      const chunk = await this.take(this.stored.rowsBefore(object, before, size))
      if (chunk.length > 0) {
        this.oldest = Math.min(this.oldest, chunk[0]!.time)
        yield chunk.toReversed()
      }
      if (chunk.length < size) return
      before = chunk[0]!.time
    }
  }

  private async take(reading: Promise<TrackRow[]>): Promise<TrackRow[]> {
    const chunk = await reading
    this.cost += chunk.length + ROWS_OF_A_READ
    await this.pause()
    return chunk
  }

  /** Lets others run if the turn has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() < this.turnAt) return
    await takeTurn()
    this.turnAt = performance.now() + SLICE_MS
  }
}

/** The memory of a process holds this many reports at once, and those of one organization leave room for others. */
const AT_ONCE = 4

const OF_ORGANIZATION = 2

/** Runs reports, some at a time in this process. */
export function openReportTurns(): InTurn {
  return openTurns(AT_ONCE, OF_ORGANIZATION)
}
