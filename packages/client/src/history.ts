import { type Ask, ask, type Connection, growing, PREFIX, pauseBefore } from './connection.ts'
import { ConnectionError } from './errors.ts'
import { readRows } from './rows.ts'
import type { Position } from './types.ts'

export type HistoryRange = {
  /** A `Date`, a date (`2026-11-20` means its first millisecond in UTC) or an ISO 8601 datetime. */
  from: Date | string
  /** Likewise; a date means its last millisecond. */
  to: Date | string
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
          // Rows that have arrived already are not wanted any more.
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
