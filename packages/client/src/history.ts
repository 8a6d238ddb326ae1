import { type Answer, type Ask, ask, type Connection, PREFIX } from './connection.ts'
import { readRows } from './rows.ts'
import type { Position } from './types.ts'

export type HistoryRange = {
  /** A `Date`, a date (`2026-11-20`: from its first millisecond in UTC) or an ISO 8601 datetime. */
  from: Date | string
  /** The same; a date means to its last millisecond. */
  to: Date | string
  /** Rows of a page, each of which charges 1 to the object. All that there are unless told. */
  pageSize?: number
  signal?: AbortSignal
}

const NEXT = /<([^>]*)>\s*;\s*rel="next"/

/** An object's positions, page by page, as they come. */
export async function* history(
  connection: Connection,
  id: number,
  { from, to, pageSize, signal }: HistoryRange,
): AsyncGenerator<Position, void, undefined> {
  const query = new URLSearchParams({ from_time: timeOf(from), to_time: timeOf(to) })
  if (pageSize !== undefined) query.set('limit', String(pageSize))
  let path: string | undefined = `/objects/${id}/positions?${query}`
  while (path !== undefined) {
    const request: Ask = { path, signal, isCharged: true, isPublic: false }
    const answer: Answer = await ask(connection, request, async (begun) => begun)
    path = nextPath(answer.headers)
    try {
      for await (const rows of readRows<Position>(answer.bytes)) {
        for (const row of rows) {
          // What has come already is not wanted any more either.
          signal?.throwIfAborted()
          yield row
        }
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw error
    }
  }
}

/** Behind the base address: the server gives an absolute path, and behind a proxy it does not know its own. */
function nextPath(headers: Headers): string | undefined {
  const link = NEXT.exec(headers.get('link') ?? '')?.[1]
  return link?.slice(link.indexOf(PREFIX) + PREFIX.length)
}

function timeOf(time: Date | string): string {
  return time instanceof Date ? time.toISOString() : time
}
