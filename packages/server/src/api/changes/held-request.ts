import { untilChanged } from '../../changes/change-watch.ts'
import { includesRecords } from '../../domain/items.ts'
import { sightOf } from '../../domain/key-scope.ts'
import type { Call } from '../operation.ts'
import { cursorExpired, type Refusal, subscriptionInactive, unauthorized } from '../refusal.ts'
import { type PageWish, type Read, readPage } from './read-page.ts'
import { includesPositions, openedTypes, type Reading, typesOf } from './reading.ts'

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
    from = { ...reading, wanted: reader, at: { reader, offset: page.next } }
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

/**
 * The refusal for a request that was held while its key or its subscription ended, or its scope changed. Changes that were committed
 * afterwards are not for it.
 */
export async function lostAccess(
  { api, key, organization }: Call,
  reading: Reading,
): Promise<Refusal | undefined> {
  await api.catchUp()
  const found = api.directory.keys.find(key.hash, api.clock.now())
  if (found === undefined) return unauthorized.invalid
  if (sightOf(found.scope) !== sightOf(key.scope)) return cursorExpired
  const current = await api.directory.organization(organization.id)
  if (current === null) return unauthorized.invalid
  const { subscription } = current
  const types = openedTypes(reading.wanted, reading.opened)
  if (subscription === 'active' || !includesPositions(types)) return undefined
  return subscriptionInactive(subscription)
}
