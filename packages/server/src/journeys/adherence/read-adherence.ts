import type { Steps } from '../../domain/common/steps.ts'
import { runInTurns } from '../../domain/common/turn.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { ReaderView, ReaderViews } from '../../store/change-log.ts'
import { committedAt } from '../../store/committed-at.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { RowReader } from '../row-reader.ts'
import type { AdherenceTotals } from './adherence.ts'

/** Positions of one answer. */
export const MAX_POSITIONS = 1_000_000
/** A view holds one of few connections, so others have it after so many rows. */
const ROWS_OF_A_VIEW = 20_000

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
        until ??= await committedAt(view, view.asOf)
        return readPart(view, reading, from, rowsOfAView)
      },
      gone,
    )
    if (part === null) return { isWhole: true, until }
    await runInTurns(addAll(totals, part.rows), gone)
    if (part.next === null) return { isWhole: true, until }
    rows += part.rows.length - 1
    from = part.next
  }
  return { isWhole: false, until }
}

/** `next`: the time of the row with which the next part starts. Null: this is the last part. */
type Part = { readonly rows: readonly TrackRow[]; readonly next: number | null }

async function readPart(
  view: ReaderView,
  { object, range, gone }: Reading,
  from: number,
  rowsOfAView: number,
): Promise<Part> {
  const rows: TrackRow[] = []
  for await (const chunk of new RowReader(view).from(object, from)) {
    for (const row of chunk) {
      if (row.time > range.to) return { rows, next: null }
      rows.push(row)
    }
    gone.throwIfAborted()
    if (rows.length < rowsOfAView) continue
    // From the newest row that counts on, so that the next leg is read at one moment.
    const next = rows.findLast(({ isSuspect }) => !isSuspect)?.time ?? from
    if (next > from) return { rows, next }
  }
  return { rows, next: null }
}

/** After the view, whose work may run twice. */
function* addAll(totals: AdherenceTotals, rows: readonly TrackRow[]): Steps<void> {
  for (const row of rows) {
    yield* totals.add(row)
    yield
  }
}
