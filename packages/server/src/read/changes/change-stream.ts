import type { ServerResponse } from 'node:http'
import type { Credential } from '../../base/domain/credential.ts'
import { includesRecords } from '../../base/domain/items.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { StreamSlot } from '../../data/live/realtime.ts'
import type { WaitingReader } from '../../engine/changes/change-watch.ts'
import type { Page } from '../../engine/changes/page.ts'
import type { Api } from '../api.ts'
import type { EventStream } from '../call.ts'
import { bestLanguage } from '../exchange/negotiation.ts'
import { failureRefusal, refusalReply } from '../exchange/reply.ts'
import type { ApiRequest } from '../exchange/request.ts'
import { Ledger } from '../limits.ts'
import type { Refusal } from '../refusal.ts'
import { recordProgress } from '../rows/record-selection.ts'
import { chargePage, disclosedIn } from './charge-page.ts'
import { EventWriter, type OpenStream, type StreamEnd } from './open-streams.ts'
import { eventOf } from './page-body.ts'
import { type PageWish, type Read, readPage } from './read-page.ts'
import { type Reading, startsWithRecords, typesOf } from './reading.ts'

/** The facts of a stream that is about to be opened. It frees `slot` when it ends. */
export type Opening = {
  organization: Organization
  key: Credential
  request: ApiRequest
  reading: Reading
  wish: PageWish
  slot: StreamSlot
}

/** A client opens another stream this long after one has ended. */
const RETRY = 'retry: 2000\n\n'
/** A quiet stream sends a new cursor this often, so that the client always has a valid one. */
const CURSOR_EVERY_MS = 3_600_000

/**
 * The stream of an organization's changes: each page is an event, the first one at once, and then when
 * something has changed. A process holds thousands of streams that mostly wait, so a waiting stream is this
 * object alone: it keeps no page, no timer and no function that waits.
 */
export class ChangeStream implements EventStream, OpenStream, WaitingReader {
  readonly organization: Organization
  readonly key: Credential
  writer!: EventWriter
  /** The newest change that is known not to concern the client. */
  known = 0
  takesRecords = false
  readonly #api: Api
  readonly #request: ApiRequest
  readonly #wish: PageWish
  readonly #slot: StreamSlot
  /** The start of the next page. */
  #reading: Reading
  #sent: { atUs: number; hasMore: boolean } | undefined
  #isWaiting = false
  #ended: StreamEnd | undefined
  #done!: () => void

  constructor(api: Api, { organization, key, request, reading, wish, slot }: Opening) {
    this.organization = organization
    this.key = key
    this.#api = api
    this.#request = request
    this.#reading = reading
    const { from, limit, skipsExhausted } = wish
    this.#wish = { from, limit, skipsExhausted }
    this.#slot = slot
  }

  ended(): StreamEnd | undefined {
    return this.#ended
  }

  run(response: ServerResponse): Promise<void> {
    // The client may have gone while its slot was being taken.
    if (response.req.socket.destroyed) {
      this.#ended = 'client'
      this.#slot.free()
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      this.#done = resolve
      this.writer = new EventWriter(response, () => this.end('client'))
      this.#api.streams.add(this)
      void this.writer.write(RETRY).then(() => this.#sendPages())
    })
  }

  wake(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    this.#api.changeWatch.leave(this.organization.id, this)
    void this.#sendPages()
  }

  renewCursor(): void {
    if (this.#isCursorOld()) this.wake()
  }

  end(why: StreamEnd): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    this.#api.changeWatch.leave(this.organization.id, this)
    this.#api.streams.remove(this, why)
    this.writer.end()
    this.#slot.free()
    this.#done()
  }

  /** Sends pages until there is nothing new, or something else than a page is the answer. */
  async #sendPages(): Promise<void> {
    const { id } = this.organization
    try {
      if (startsWithRecords(this.#reading)) await recordProgress(this.#api.records, id)
      while (this.#ended === undefined) {
        const next = await this.#sendNext()
        if (next === 'wait') return this.#wait()
        if (next !== 'more') return await this.#endWith(next)
      }
    } catch (error) {
      await this.#endWith(failureRefusal(this.#api, this.#request, error))
    }
  }

  #wait(): void {
    if (this.#ended !== undefined) return
    this.#isWaiting = true
    this.#api.changeWatch.wait(this.organization.id, this)
  }

  async #sendNext(): Promise<'more' | 'wait' | Refusal> {
    const read = await this.#readNext()
    if ('status' in read) return read
    if (this.#ended !== undefined) {
      // Do not charge a client that has left.
      read.room.free()
      return 'wait'
    }
    const { page, reader } = read
    // An empty page may show the client that it has everything.
    const isLast = this.#sent?.hasMore === true && !page.hasMore
    const isDue = page.entries.length > 0 || isLast || this.#isCursorOld()
    const sending = isDue ? this.#sendPage(read) : Promise.resolve(page)
    const paid = await sending.finally(read.room.free)
    if ('status' in paid) return paid
    this.#reading = { ...this.#reading, wanted: reader, at: { reader, offset: paid.next } }
    this.takesRecords = includesRecords(typesOf(reader))
    if (isDue) this.#sent = { atUs: this.#api.clock.monotonic(), hasMore: paid.hasMore }
    if (paid.hasMore) return 'more'
    this.known = paid.asOf
    return 'wait'
  }

  #isCursorOld(): boolean {
    if (this.#sent === undefined) return true
    return this.#api.clock.monotonic() - this.#sent.atUs >= CURSOR_EVERY_MS * 1_000
  }

  #readNext(): Promise<Read | Refusal> {
    const { id } = this.organization
    const { limit, from } = this.#wish
    const reading = this.#reading
    const key = JSON.stringify([
      ...[id, limit, reading.at ?? [from, reading.wanted]],
      reading.opened?.sight,
    ])
    return this.#api.sharedPages(key, () => readPage(this.#api, id, reading, this.#wish))
  }

  /** Returns the part of the page that is paid for and was sent. */
  async #sendPage(read: Read): Promise<Page | Refusal> {
    const api = this.#api
    const opened = this.organization
    const organization = (await api.directory.organization(opened.id)) ?? opened
    const ledger = new Ledger(api.realtime.quota, organization, api.clock)
    const page = await chargePage(read.page, this.#wish.skipsExhausted, (due) =>
      ledger.chargeLater(due),
    )
    if ('status' in page) return page
    const disclosed = disclosedIn(page)
    // The recipient and the purpose of the key may have changed since the stream was opened.
    const key = api.directory.keys.known(this.key.hash) ?? this.key
    if (disclosed.objects.length > 0) api.disclosures.answer(key, 'changes', disclosed)
    await this.writer.write(await eventOf(api, organization, read, page))
    api.streams.sent()
    return page
  }

  async #endWith(refusal: Refusal): Promise<void> {
    await this.writer.write(this.#lastEvent(refusal))
    this.end(refusal.status === 410 ? 'resync' : 'error')
  }

  /**
   * The empty `id` of `resync` deletes the cursor that a browser keeps. So the browser connects again with the
   * parameters of the first request.
   */
  #lastEvent(refusal: Refusal): string {
    const language = bestLanguage(this.#request.acceptLanguage, this.organization.language)
    const { body } = refusalReply(refusal, [], language, this.#api.clock.now())
    const kind = refusal.status === 410 ? 'id\nevent: resync' : 'event: error'
    return `${kind}\ndata: ${body}\n\n`
  }
}
