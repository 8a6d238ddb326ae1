import { type Ask, ask, type Connection, PREFIX } from './connection.ts'
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
    const response: Response = await ask(connection, request, async (answer) => answer)
    // An absolute path, since the server behind a proxy does not know its address.
    path = NEXT.exec(response.headers.get('link') ?? '')?.[1]?.slice(PREFIX.length)
    try {
      for await (const rows of readRows<Position>(response.body!)) yield* rows
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof ConnectionError) throw error
      throw new ConnectionError('the answer broke off', { cause: error })
    }
  }
}

function timeOf(time: Date | string): string {
  return time instanceof Date ? time.toISOString() : time
}
