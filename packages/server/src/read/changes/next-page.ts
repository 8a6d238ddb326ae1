import type { Disclosed } from '../../base/domain/disclosure.ts'
import { includesRecords } from '../../base/domain/item-rules.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { WaitingReader } from '../../engine/changes/change-watch.ts'
import type { Page } from '../../engine/changes/page.ts'
import type { Api } from '../api.ts'
import type { Refusal } from '../refusal.ts'
import { type ChargeLater, Ledger } from '../request-limits.ts'
import { type Reading, typesOf } from './changes-query.ts'
import { chargeForAll, chargePage, disclosedIn } from './charge-page.ts'
import { type Body, eventOf, isShort } from './page-body.ts'
import { type PageQuery, type Read, readPage } from './read-page.ts'

/** A stream, as its next page sees it. */
export type PageTaker = {
  readonly organization: Organization
  /** The page that the stream waits for, or that is read for it. */
  next: NextPage | undefined
  hasEnded(): boolean
  /** Whether the stream sends a page without entries. */
  wantsEmpty(page: Page): boolean
  /** Sends a page that is paid for. Undefined if the system took it at once. */
  send(event: PageEvent): Promise<void> | undefined
  endWith(refusal: Refusal): Promise<void>
  fail(error: unknown): Promise<void>
}

/** A page as an event, and what it shows. */
export type PageEvent = { body: Body; disclosed: Disclosed; hasMore: boolean }

/** Where a stream continues. `known`: the stream has everything up to this change. Undefined: it may lack something. */
type StreamPlace = { reading: Reading; query: PageQuery; known?: number }

/** By the open streams of a process. */
const nextPages = new WeakMap<Api['streams'], Map<string, NextPage>>()

/** The next pages of the open streams of a process, by organization, view and cursor. */
export function nextPagesOf(streams: Api['streams']): Map<string, NextPage> {
  const known = nextPages.get(streams)
  if (known !== undefined) return known
  const pages = new Map<string, NextPage>()
  nextPages.set(streams, pages)
  return pages
}

/**
 * Gives streams of an organization their next page, together with all streams that see the same and have the same
 * cursor: as soon as there is something new, or at once if they may lack something.
 */
export function awaitPage(api: Api, place: StreamPlace, streams: readonly PageTaker[]): void {
  const open = streams.filter((stream) => !stream.hasEnded())
  if (open.length === 0) return
  const { id } = open[0]!.organization
  const { from, limit, skipsExhausted } = place.query
  const { at, wanted, opened } = place.reading
  const key = JSON.stringify([id, opened?.sight, limit, skipsExhausted, at ?? [from, wanted]])
  const page = nextPagesOf(api.streams).get(key) ?? new NextPage(api, id, key, place)
  page.give(open, place)
}

/**
 * The page after a cursor, for all streams that wait for it: read once, encoded once, and charged for each of them. A
 * stream whose client takes it slowly continues later, so that it delays no other.
 */
export class NextPage implements WaitingReader {
  known = 0
  readonly takesRecords: boolean
  readonly #api: Api
  readonly #organization: number
  readonly #key: string
  readonly #place: StreamPlace
  readonly #streams = new Set<PageTaker>()
  #state: 'new' | 'waiting' | 'reading' = 'new'

  constructor(api: Api, organization: number, key: string, place: StreamPlace) {
    this.#api = api
    this.#organization = organization
    this.#key = key
    this.#place = place
    this.takesRecords = includesRecords(typesOf(place.reading.wanted))
    nextPagesOf(api.streams).set(key, this)
  }

  give(streams: readonly PageTaker[], { known }: StreamPlace): void {
    for (const stream of streams) {
      this.#streams.add(stream)
      stream.next = this
    }
    if (known === undefined) this.#read()
    else if (this.#state === 'new') this.#wait(known)
  }

  leave(stream: PageTaker): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0 || this.#state !== 'waiting') return
    this.#api.changeWatch.leave(this.#organization, this)
    nextPagesOf(this.#api.streams).delete(this.#key)
  }

  wake(): void {
    this.#read()
  }

  #wait(known: number): void {
    this.#state = 'waiting'
    this.known = known
    this.#api.changeWatch.wait(this.#organization, this)
  }

  #read(): void {
    if (this.#state === 'reading') return
    this.#api.changeWatch.leave(this.#organization, this)
    this.#state = 'reading'
    void this.#send().catch((error) => {
      for (const stream of this.#streams) void stream.fail(error)
    })
  }

  async #send(): Promise<void> {
    const { reading, query } = this.#place
    const read = await readPage(this.#api, this.#organization, reading, query).finally(() =>
      nextPagesOf(this.#api.streams).delete(this.#key),
    )
    if ('status' in read) {
      for (const stream of this.#streams) void stream.endWith(read)
      return
    }
    const sending: Promise<void>[] = []
    const ready = await this.#deliver(read, sending).finally(() => {
      void Promise.allSettled(sending).then(read.room.free)
    })
    this.#follow(ready, read, read.page)
  }

  /** Returns the streams that can have the next page. `sending` gets those that come to it later. */
  async #deliver(read: Read, sending: Promise<void>[]): Promise<PageTaker[]> {
    const { page } = read
    // Those that ended meanwhile are not among the streams any more, so they are not charged.
    const all = [...this.#streams]
    const due = page.entries.length > 0 ? all : all.filter((stream) => stream.wantsEmpty(page))
    if (due.length === 0) return all
    const { quota } = this.#api.realtime
    const opened = due[0]!.organization
    const organization = (await this.#api.directory.organization(opened.id)) ?? opened
    const charge: ChargeLater = (amounts) =>
      new Ledger(quota, organization, this.#api.clock).chargeLater(amounts)
    const isPaid = due.length > 1 && (await chargeForAll(page, due.length, charge))
    const apart = new Set<PageTaker>()
    let whole: PageEvent | undefined
    for (const stream of due) {
      if (stream.hasEnded()) continue
      const { skipsExhausted } = this.#place.query
      const paid = isPaid ? page : await chargePage(page, skipsExhausted, charge)
      if ('status' in paid) {
        apart.add(stream)
        void stream.endWith(paid)
        continue
      }
      const event = (paid === page && whole) || (await this.#eventOf(organization, read, paid))
      if (paid === page && isShort(page)) whole = event
      const taking = stream.send(event)
      if (taking === undefined && paid === page) continue
      apart.add(stream)
      sending.push(this.#followAfter(taking, stream, read, paid))
    }
    return all.filter((stream) => !apart.has(stream))
  }

  async #eventOf(organization: Organization, read: Read, page: Page): Promise<PageEvent> {
    const body = await eventOf(this.#api, organization, read, page)
    return { body, disclosed: disclosedIn(page), hasMore: page.hasMore }
  }

  /** The stream leaves the others until its client has taken the page. */
  async #followAfter(
    taking: Promise<void> | undefined,
    stream: PageTaker,
    read: Read,
    page: Page,
  ): Promise<void> {
    this.#streams.delete(stream)
    stream.next = undefined
    await taking?.catch((error) => stream.fail(error))
    this.#follow([stream], read, page)
  }

  #follow(streams: readonly PageTaker[], { reader }: Read, { next, hasMore, asOf }: Page): void {
    const { query, reading } = this.#place
    const continued = { ...reading, wanted: reader, at: { reader, offset: next } }
    const place = { query, reading: continued }
    awaitPage(this.#api, hasMore ? place : { ...place, known: asOf }, streams)
  }
}
