import { untilChanged } from '../../changes/until-changed.ts'
import { includesRecords } from '../../domain/change-types.ts'
import type { Api } from '../api.ts'
import type { Refusal } from '../refusal.ts'
import { type PageWish, type Read, readPage } from './read-page.ts'
import { type Reading, typesOf } from './reading.ts'

/**
 * Reads the next page. An empty one at the end of the log is held until something changed, until `waitMs`
 * are over, until the client has gone, or until the server drains.
 */
export async function awaitPage(
  api: Api,
  organization: number,
  reading: Reading,
  wish: PageWish,
  waitMs: number,
  gone: AbortSignal,
): Promise<Read | Refusal> {
  const untilUs = api.clock.monotonic() + waitMs * 1_000
  for (let from = reading; ; ) {
    const read = await readPage(api, organization, from, wish, gone)
    if ('status' in read) return read
    const { page, reader } = read
    const leftMs = (untilUs - api.clock.monotonic()) / 1_000
    const isOver = leftMs <= 0 || gone.aborted || api.changeWatch.isReleased()
    if (page.entries.length > 0 || page.hasMore || isOver) return read
    read.room.free()
    from = { wanted: reader, at: { reader, place: page.next }, opened: reading.opened }
    const waiting = { known: page.asOf, takesRecords: includesRecords(typesOf(reader)) }
    await untilChanged(api.changeWatch, organization, waiting, leftMs, gone)
    if (gone.aborted) return read
  }
}
