import type { RECORDS } from './changes/change-kinds.ts'
import { type Ask, ask, type Connection, HELD_TIMEOUT_MS } from './connection.ts'
import { type AskedAttributes, nextPath, setIncluded, timeOf } from './history.ts'
import { readRows } from './rows.ts'

export type RecordRange = {
  /** A `Date`, a date (`2026-11-20` means its first millisecond in UTC) or an ISO 8601 datetime. */
  from: Date | string
  /** The same; a date means its last millisecond. */
  to: Date | string
  /** Only these objects, up to 1,000. Default: all. */
  ids?: Iterable<number>
  /** Rows of a page, up to 10,000. Each page charges 1 to each of its objects. Default: all rows in one answer. */
  pageSize?: number
  /** Whether to leave out objects whose daily quota is exhausted, instead of a refusal. */
  skipExhausted?: boolean
  signal?: AbortSignal
}

/** Records of a time over which attributes are shown. */
export type SummedRange = RecordRange & {
  /** The attributes over the time of each row. Default: none. */
  attributes?: AskedAttributes
}

export type StopRange = SummedRange & {
  /** Only those that last, or have lasted so far, at least this many seconds. */
  minDuration?: number
}

export type VisitRange = Omit<StopRange, 'attributes'> & {
  /** Only visits to these places. With one of the two lists, visits to no other place are given. */
  geofences?: Iterable<number>
  sites?: Iterable<number>
}

export type LevelRange = Omit<StopRange, 'attributes'> & {
  /** Only the changes of these levels: their names in the catalogue of attributes. Default: of all. */
  attributes?: readonly string[]
}

export type DayRange = {
  /** The first day, such as `2026-11-20`. */
  from: string
  /** The last day, included. */
  to: string
  /** The IANA time zone in which days begin and end. Default: the one of the organization. */
  timeZone?: string
  /** Only these objects, up to 1,000. Default: all. */
  ids?: Iterable<number>
  /** The attributes over each day. Default: none. */
  attributes?: AskedAttributes
  /** An attribute of texts, such as `driver`: a day has a row for each text, with its `value`. Default: a day is one row. */
  by?: string
  /** Rows of a page, up to 10,000. Each page charges 1 to each of its objects. Default: all rows in one answer. */
  pageSize?: number
  /** Whether to leave out objects whose daily quota is exhausted, instead of a refusal. */
  skipExhausted?: boolean
  signal?: AbortSignal
}

export type CoverageRange = Pick<DayRange, 'ids' | 'signal'> & {
  /** The first day in UTC, such as `2026-11-20`. */
  from: string
  /** The last day, included, at most 366 days. */
  to: string
}

/** An object, and the range in which it is compared with a route. */
export type AdherenceRange = Pick<RecordRange, 'from' | 'to'> & { object: number }

/** The records of a range, page by page, as they come. */
export function records<Row>(
  connection: Connection,
  type: (typeof RECORDS)[keyof typeof RECORDS],
  range: VisitRange & SummedRange,
): AsyncGenerator<Row, void, undefined> {
  const { from, to, ids, minDuration, geofences, sites, attributes, signal } = range
  const query = new URLSearchParams({ from_time: timeOf(from), to_time: timeOf(to) })
  for (const [name, list] of Object.entries({ ids, geofences, sites })) {
    if (list !== undefined) query.set(name, listOf(name, list))
  }
  if (minDuration !== undefined) query.set('min_duration', String(minDuration))
  setIncluded(query, undefined, attributes)
  setPaging(query, range)
  return rowsOfPages(connection, `/${type}?${query}`, signal)
}

function setPaging(
  query: URLSearchParams,
  { pageSize, skipExhausted }: Pick<RecordRange, 'pageSize' | 'skipExhausted'>,
): void {
  if (pageSize !== undefined) query.set('limit', String(pageSize))
  if (skipExhausted) query.set('skip_exhausted', 'true')
}

/** Days are computed before the answer begins. */
const MIN_TIMEOUT_MS = 300_000

/** The coverage of each day of a range, as it comes. */
export function coverage<Row>(
  connection: Connection,
  { from, to, ids, signal }: CoverageRange,
): AsyncGenerator<Row, void, undefined> {
  const query = new URLSearchParams({ from_date: from, to_date: to })
  if (ids !== undefined) query.set('ids', listOf('ids', ids))
  const timeoutMs = Math.max(connection.timeoutMs, MIN_TIMEOUT_MS)
  // It charges nothing.
  return rowsOfPages(connection, `/coverage?${query}`, signal, { isRepeatable: true, timeoutMs })
}

/** The days of a range, page by page, as they come. */
export function days<Row>(
  connection: Connection,
  { from, to, timeZone, ids, by, attributes, pageSize, skipExhausted, signal }: DayRange,
): AsyncGenerator<Row, void, undefined> {
  const query = new URLSearchParams({ from_date: from, to_date: to })
  if (timeZone !== undefined) query.set('tz', timeZone)
  if (ids !== undefined) query.set('ids', listOf('ids', ids))
  if (by !== undefined) query.set('by', by)
  setIncluded(query, undefined, attributes)
  setPaging(query, { pageSize, skipExhausted })
  const timeoutMs = Math.max(connection.timeoutMs, MIN_TIMEOUT_MS)
  return rowsOfPages(connection, `/days?${query}`, signal, { isRepeatable: false, timeoutMs })
}

/** The rows of pages from a path on, which links follow. Rejects with the signal's reason. */
export async function* rowsOfPages<Row>(
  connection: Connection,
  first: string,
  signal: AbortSignal | undefined,
  about: Pick<Ask, 'isRepeatable' | 'timeoutMs'> = {
    isRepeatable: false,
    timeoutMs: Math.max(connection.timeoutMs, HELD_TIMEOUT_MS),
  },
): AsyncGenerator<Row, void, undefined> {
  let path: string | undefined = first
  while (path !== undefined) {
    const request = { ...about, path, signal, isPublic: false }
    const { headers, bytes } = await ask(connection, request, async (begun) => begun)
    path = nextPath(headers)
    try {
      for await (const rows of readRows<Row>(bytes)) {
        for (const row of rows) {
          // Rows that have already arrived are no longer wanted.
          signal?.throwIfAborted()
          yield row
        }
      }
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  }
}

/** The server takes an empty list as an absent one: everything. */
function listOf(name: string, list: Iterable<number>): string {
  const ids = [...list]
  if (ids.length === 0) throw new TypeError(`${name} is empty; omit it for all of them`)
  for (const id of ids) {
    if (!Number.isSafeInteger(id) || id < 0) {
      throw new TypeError(`an id must be a whole number, not ${String(id)}`)
    }
  }
  return ids.join()
}
