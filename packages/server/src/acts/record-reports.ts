import { takeTurn } from '../base/domain/common/slots.ts'
import type { RecordType } from '../base/domain/item-rules.ts'
import type { Organization } from '../base/domain/organization.ts'
import { recordWithoutSignalSince } from '../base/domain/record.ts'
import { levelEntries } from '../engine/journeys/levels/level-digests.ts'
import type { OwnedRecord, RecordOffset, RecordQuery } from '../engine/store/record-store.ts'
import type { Store } from '../engine/store/store.ts'
import { RECORD_TABLES, recordRow } from '../read/encode/record-rows.ts'
import type { Row } from '../read/encode/rows.ts'
import { placeNotFound, type Refusal } from '../read/refusal.ts'
import {
  type RecordsPage,
  type RecordsQuery,
  readRecordsPage,
  recordProgress,
  selectRecords,
} from '../read/rows/record-selection.ts'
import { hasPlaces, type RecordSources, recordContext } from '../read/rows/shown-records.ts'
import type { Table } from './spreadsheet.ts'

/*
 * Records in the reports for people: the command line and the files of the console. They have the fields of the public
 * API and, as of the report, the time since when an open trip or stop has had no signal.
 */

/** The field that the public API does not have. */
export const NO_SIGNAL_SINCE = 'no_signal_since'

export function reportTable(type: RecordType): Pick<Table, 'columns' | 'dated'> {
  const table = RECORD_TABLES[type]
  if (!mayLast(type)) return table
  const dated = { ...table.dated, [NO_SIGNAL_SINCE]: 'time' } as const
  return { columns: [...table.columns, NO_SIGNAL_SINCE], dated }
}

/** Whether records of a type may last until the next position, however late it is. */
function mayLast(type: RecordType): boolean {
  return type === 'trips' || type === 'stops'
}

/** `row`: as in the public API. */
export function reportRow(
  type: RecordType,
  row: object,
  { signalTimeoutHours }: Organization,
  now: number,
): Row {
  if (!mayLast(type)) return row as Row
  const lasting = row as Parameters<typeof recordWithoutSignalSince>[0]
  return { ...row, [NO_SIGNAL_SINCE]: recordWithoutSignalSince(lasting, now, signalTimeoutHours) }
}

/** Rows made before other requests get a turn. */
const SLICE = 100

/** Requested records, before they are read. */
export type AskedRecords = {
  query: RecordQuery
  sources: RecordSources
  /** The time of the commit up to which records are derived. Null while the history is derived. */
  until: number | null
}

/**
 * Checks the requested objects and places, and starts deriving the organization's records if needed. Returns a refusal
 * of the public API if one does not exist.
 */
export async function askForRecords(
  { attributes, changeLog, records }: Pick<Store, 'attributes' | 'changeLog' | 'records'>,
  type: RecordType,
  asked: RecordsQuery,
  { after, now }: { after: RecordOffset | null; now: number },
  parts: Omit<RecordSources, 'views' | 'levels'>,
): Promise<AskedRecords | Refusal> {
  const { organization, objects } = parts
  const levels = type === 'levels' ? levelEntries(await attributes.list(organization.id)) : null
  const query = selectRecords(organization, type, asked, { own: objects, after, now, levels })
  if ('status' in query) return query
  const { places } = query
  if (
    type === 'visits' &&
    places !== null &&
    !(await hasPlaces(changeLog, organization.id, places))
  ) {
    return placeNotFound
  }
  // Read before the records, so that these may be newer than `until`, but never older.
  const progress = await recordProgress(records, organization.id)
  return { query, sources: { ...parts, levels, views: changeLog }, until: progress?.at || null }
}

/** Reads the page of the requested records that begins after the offset of the query. */
export function readPage({ records }: Store, asked: AskedRecords): Promise<RecordsPage> {
  const { query, sources } = asked
  return readRecordsPage(records, sources.organization.id, query, sources.objects)
}

/** The rows of all pages, page by page. `first`: the first page. `shown` is called with the records of each. */
export async function* rowsOfPages(
  store: Store,
  asked: AskedRecords,
  first: RecordsPage,
  shown: (page: readonly OwnedRecord[]) => void,
): AsyncGenerator<object[]> {
  for (let page = first; ; ) {
    shown(page.rows)
    yield await rowsOf(asked.sources, page.rows)
    if (page.next === null) return
    page = await readPage(store, { ...asked, query: { ...asked.query, after: page.next } })
  }
}

/** The rows of a page, as JSON of the public API. */
export async function rowsOf(
  sources: RecordSources,
  page: readonly OwnedRecord[],
): Promise<object[]> {
  const context = await recordContext(sources, page)
  const rows: object[] = []
  for (let from = 0; from < page.length; from += SLICE) {
    await takeTurn()
    for (const record of page.slice(from, from + SLICE)) rows.push(recordRow(record, context))
  }
  return rows
}
