import { type Ask, ask, type Connection, growing, PREFIX, pauseBefore } from './connection.ts'
import { ConnectionError } from './errors.ts'
import { readRows } from './rows.ts'
import type { Position } from './types.ts'

/** The fields that `include` adds to each position. */
export type IncludedFields = 'quality' | 'exact'

/** Attributes of the organization's catalogue: all that the key sees, or those with these names. */
export type AskedAttributes = 'all' | readonly string[]

export type HistoryRange = {
  /** A `Date`, a date (`2026-11-20` means its first millisecond in UTC) or an ISO 8601 datetime. */
  from: Date | string
  /** The same; a date means its last millisecond. */
  to: Date | string
  /** Only the first position of each interval of this many seconds of UTC, and the last one of the range. */
  step?: number
  /** Additional fields of each position. */
  include?: readonly IncludedFields[]
  /** The attributes that each position has. Default: none. */
  attributes?: AskedAttributes
  /** Rows of a page. Each page charges 1 to the object. Default: all rows in one page. */
  pageSize?: number
  /**
   * Whether to ask for the rest if an answer breaks off, and again if none comes: up to `retries` times
   * after each row. Each such request may charge 1 more. Default: false.
   */
  resume?: boolean
  signal?: AbortSignal
}

const NEXT = /<([^>]*)>\s*;\s*rel="next"/

/** An object's positions, page by page, as they come. */
export async function* history(
  connection: Connection,
  id: number,
  { from, to, step, include, attributes, pageSize, resume = false, signal }: HistoryRange,
): AsyncGenerator<Position, void, undefined> {
  const pathFrom = (time: string) => {
    const query = new URLSearchParams({ from_time: time, to_time: timeOf(to) })
    setRows(query, { step, include, attributes, pageSize })
    return `/objects/${id}/positions?${query}`
  }
  let path: string | undefined = pathFrom(timeOf(from))
  let last: Position | undefined
  let breaks = 0
  while (path !== undefined) {
    const request: Ask = { path, signal, isRepeatable: resume, isPublic: false }
    const { headers, bytes } = await ask(connection, request, async (begun) => begun)
    path = nextPath(headers)
    try {
      for await (const rows of readRows<Position>(bytes)) {
        for (const row of rows) {
          // An answer after a break begins with the row that arrived last, because a step counts from it.
          if (row.time_device === last?.time_device) continue
          // Rows that have already arrived are no longer wanted.
          signal?.throwIfAborted()
          yield row
          last = row
          breaks = 0
        }
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!(resume && error instanceof ConnectionError && breaks < connection.retries)) throw error
      await pauseBefore(connection, request, error, growing(breaks))
      breaks += 1
      path =
        last === undefined
          ? request.path
          : pathFrom(step === undefined ? justAfter(last) : last.time_device)
    }
  }
}

/** An object has at most one position at a time, and times are whole milliseconds. */
function justAfter({ time_device }: Position): string {
  return new Date(Date.parse(time_device) + 1).toISOString()
}

/**
 * The path after the base address. The server gives an absolute path, and behind a proxy it does not know
 * its prefix.
 */
export function nextPath(headers: Headers): string | undefined {
  const link = NEXT.exec(headers.get('link') ?? '')?.[1]
  return link?.slice(link.indexOf(PREFIX) + PREFIX.length)
}

export function timeOf(time: Date | string): string {
  return time instanceof Date ? time.toISOString() : time
}

/** Sets the parameters of rows in a query. */
export function setRows(
  query: URLSearchParams,
  {
    step,
    include,
    attributes,
    pageSize,
  }: Pick<HistoryRange, 'step' | 'include' | 'attributes' | 'pageSize'>,
): void {
  if (step !== undefined) query.set('step', String(step))
  setIncluded(query, include, attributes)
  if (pageSize !== undefined) query.set('limit', String(pageSize))
}

/** Sets the parameters for what rows have in addition to their own fields. */
export function setIncluded(
  query: URLSearchParams,
  include: Iterable<string> | undefined,
  attributes: AskedAttributes | undefined,
): void {
  const included = [...(include ?? []), ...(attributes === 'all' ? ['attributes'] : [])]
  if (included.length > 0) query.set('include', included.join())
  if (attributes === undefined || attributes === 'all') return
  // The server takes an empty list as an absent one.
  if (attributes.length === 0) throw new TypeError('attributes is empty; omit it for none')
  query.set('attributes', attributes.join())
}
