import { untilChanged } from '../../changes/until-changed.ts'
import { includesRecords } from '../../domain/change-types.ts'
import type { Call } from '../operation.ts'
import type { Refusal } from '../refusal.ts'
import { type PageWish, type Read, readPage } from './read-page.ts'
import { type Reading, typesOf } from './reading.ts'

/**
 * Reads the next page. An empty one at the end of the log is held until something changed, until `waitMs`
 * are over, until the client has gone or has lost its access, or until the server drains.
 */
export async function awaitPage(
  call: Call,
  reading: Reading,
  wish: PageWish,
  waitMs: number,
  gone: AbortSignal,
): Promise<Read | Refusal> {
  const { api, organization } = call
  const untilUs = api.clock.monotonic() + waitMs * 1_000
  for (let from = reading; ; ) {
    const read = await readPage(api, organization.id, from, wish, gone)
    if ('status' in read) return read
    const { page, reader } = read
    const leftMs = (untilUs - api.clock.monotonic()) / 1_000
    const isOver = leftMs <= 0 || gone.aborted || api.changeWatch.isReleased()
    if (page.entries.length > 0 || page.hasMore || isOver) return read
    read.room.free()
    from = { ...reading, wanted: reader, at: { reader, place: page.next } }
    const waiting = { known: page.asOf, takesRecords: includesRecords(typesOf(reader)) }
    const isEnded = await whileOpen(call, gone, (ended) =>
      untilChanged(api.changeWatch, organization.id, waiting, leftMs, ended),
    )
    if (isEnded) return read
  }
}

/** Whether the client has gone or lost its access during `wait`, whose signal aborts then. */
async function whileOpen(
  { api, organization, key }: Call,
  gone: AbortSignal,
  wait: (ended: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const ended = new AbortController()
  const end = () => ended.abort()
  const release = api.streams.hold({ organization, key, end })
  gone.addEventListener('abort', end)
  try {
    await wait(ended.signal)
  } finally {
    gone.removeEventListener('abort', end)
    release()
  }
  return ended.signal.aborted
}
