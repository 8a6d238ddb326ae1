import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { keyOf } from '../../domain/record.ts'
import { type AttributeView, SummaryReader } from '../../journeys/attributes/read-summaries.ts'
import type { Summaries } from '../../journeys/attributes/summary.ts'
import type { OwnedRecord } from '../../store/record-store.ts'
import type { RecordsPage } from './record-selection.ts'

/** A page ends with the record for whose attributes it has read so many rows. */
const MAX_ROWS = 200_000

/** The entries whose attributes records have, and the first moment whose rows count. */
export type AskedSummaries = {
  readonly entries: readonly AttributeEntry[]
  readonly keptFrom: number
}

/** A record with its attributes by entry. */
export type SummedRecord = OwnedRecord & { readonly attributes: Summaries }

/** The records with their attributes, until so many rows are read. At least one, if there is any. */
export async function summedRecords(
  view: AttributeView,
  records: readonly OwnedRecord[],
  { entries, keptFrom }: AskedSummaries,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<SummedRecord[]> {
  const reader = new SummaryReader(view, entries, keptFrom)
  const summed: SummedRecord[] = []
  for (const owned of records) {
    const { start, end, until } = owned.record
    const attributes = await reader.of({ object: owned.object, start, until: end ?? until })
    summed.push({ ...owned, attributes })
    if (reader.cost >= maxRows) break
  }
  return summed
}

/** A page with the attributes of its records. It ends earlier if they need many rows. */
export async function summedPage(
  view: AttributeView,
  page: RecordsPage,
  asked: AskedSummaries,
): Promise<Omit<RecordsPage, 'rows'> & { readonly rows: readonly SummedRecord[] }> {
  const rows = await summedRecords(view, page.rows, asked, MAX_ROWS)
  if (rows.length === page.rows.length) return { ...page, rows }
  const { object, record } = rows.at(-1)!
  return { rows, next: { object, ...keyOf(record) } }
}
