import { type Ask, ask, type Connection, growing, PREFIX, pauseBefore } from './connection.ts'
import { ConnectionError } from './errors.ts'
import { readRows } from './rows.ts'
import type { Position } from './types.ts'

export type HistoryRange = {
  /** A `Date`, a date (`2026-11-20`: from its first millisecond in UTC) or an ISO 8601 datetime. */
  from: Date | string
  /** The same; a date means to its last millisecond. */
  to: Date | string
  /** Rows of a page, each of which charges 1 to the object. All that there are unless told. */
  pageSize?: number
  /**
   * Whether to ask for the rest where an answer breaks off, and again where none comes: as often as
   * `retries` says, counted anew with each row. Each such request may charge 1 more. Off by default.
   */
  resume?: boolean
  signal?: AbortSignal
}

const NEXT = /<([^>]*)>\s*;\s*rel="next"/

/** An object's positions, page by page, as they come. */
export async function* history(
  connection: Connection,
  id: number,
  { from, to, pageSize, resume = false, signal }: HistoryRange,
): AsyncGenerator<Position, void, undefined> {
  const pathFrom = (time: string) => {
    const query = new URLSearchParams({ from_time: time, to_time: timeOf(to) })
    if (pageSize !== undefined) query.set('limit', String(pageSize))
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
          // What has come already is not wanted any more either.
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
      path = last === undefined ? request.path : pathFrom(justAfter(last))
    }
  }
}

/** An object has one position of a time, and times are whole milliseconds. */
function justAfter({ time_device }: Position): string {
  return new Date(Date.parse(time_device) + 1).toISOString()
}

/** Behind the base address: the server gives an absolute path, and behind a proxy it does not know its own. */
function nextPath(headers: Headers): string | undefined {
  const link = NEXT.exec(headers.get('link') ?? '')?.[1]
  return link?.slice(link.indexOf(PREFIX) + PREFIX.length)
}

function timeOf(time: Date | string): string {
  return time instanceof Date ? time.toISOString() : time
}
