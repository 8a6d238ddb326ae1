import type { TimeRange } from '../../domain/time/time-range.ts'
import type { ReaderView, ReaderViews } from '../../store/change-log.ts'
import { committedUntil } from '../committed-until.ts'
import { RowReader } from '../row-reader.ts'
import type { AdherenceTotals } from './adherence.ts'

/** Positions of one answer: some seconds of work. */
export const MAX_POSITIONS = 1_000_000
/** A view holds one of few connections, so others have it after so many rows. */
const ROWS_OF_A_VIEW = 20_000
/** Rows between two looks at the clock. */
const ROWS_AT_ONCE = 100

export type Reading = {
  readonly organization: number
  readonly object: number
  readonly range: TimeRange
  /** Ends the reading when nobody wants it any more. */
  readonly gone: AbortSignal
}

/** `until`: the commit time of the newest change that all rows show. Null: the organization is gone. */
export type ReadResult = { readonly isWhole: boolean; readonly until: number | null }

/**
 * Adds the rows of an object in a range; not all of them if there are more than `MAX_POSITIONS`. Each leg is read
 * at one moment, the whole range is not.
 */
export async function readAdherence(
  views: ReaderViews,
  reading: Reading,
  totals: AdherenceTotals,
  rowsOfAView: number = ROWS_OF_A_VIEW,
): Promise<ReadResult> {
  const { organization, range, gone } = reading
  let from = range.from
  let until: number | null = null
  for (let rows = 0; rows <= MAX_POSITIONS; ) {
    const part = await views.view(
      organization,
      async (view) => {
        until ??= await committedUntil(view)
        return addPart(view, reading, from, totals, rowsOfAView)
      },
      gone,
    )
    if (part === null || part.next === null) return { isWhole: true, until }
    rows += part.rows - 1
    from = part.next
  }
  return { isWhole: false, until }
}

/** `next`: the time of the row with which the next part starts. Null: this is the last part. */
type Part = { readonly rows: number; readonly next: number | null }

async function addPart(
  view: ReaderView,
  { object, range, gone }: Reading,
  from: number,
  totals: AdherenceTotals,
  rowsOfAView: number,
): Promise<Part> {
  const reader = new RowReader(view)
  for await (const chunk of reader.from(object, from)) {
    for (const [index, row] of chunk.entries()) {
      if (row.time > range.to) return { rows: reader.rows, next: null }
      totals.add(row)
      if (index % ROWS_AT_ONCE === 0) await reader.pause()
    }
    gone.throwIfAborted()
    // From the newest row that counts on, so that the next leg is read at one moment.
    const next = totals.until
    if (reader.rows >= rowsOfAView && next !== null && next > from) {
      return { rows: reader.rows, next }
    }
  }
  return { rows: reader.rows, next: null }
}
