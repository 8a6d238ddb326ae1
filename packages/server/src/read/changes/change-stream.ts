import type { ServerResponse } from 'node:http'
import type { Credential } from '../../base/domain/credential.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { StreamSlot } from '../../data/live/realtime.ts'
import type { Page } from '../../engine/changes/page.ts'
import type { Api } from '../api.ts'
import type { EventStream } from '../call.ts'
import { bestLanguage } from '../exchange/negotiation.ts'
import { failureRefusal, refusalReply } from '../exchange/reply.ts'
import type { ApiRequest } from '../exchange/request.ts'
import type { Refusal } from '../refusal.ts'
import { recordProgress } from '../rows/record-selection.ts'
import { type Reading, startsWithRecords } from './changes-query.ts'
import { awaitPage, type NextPage, type PageEvent, type PageTaker } from './next-page.ts'
import { EventWriter, type OpenStream, type StreamEnd } from './open-streams.ts'
import type { PageQuery } from './read-page.ts'

/** The facts of a stream that is about to be opened. It frees `slot` when it ends. */
export type Opening = {
  organization: Organization
  key: Credential
  request: ApiRequest
  reading: Reading
  query: PageQuery
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
export class ChangeStream implements EventStream, OpenStream, PageTaker {
  readonly organization: Organization
  readonly key: Credential
  writer!: EventWriter
  next: NextPage | undefined
  readonly #api: Api
  readonly #request: ApiRequest
  readonly #slot: StreamSlot
  #sent: { atUs: number; hasMore: boolean } | undefined
  #ended: StreamEnd | undefined
  #done!: () => void
  /** Where the stream begins. Undefined: it has begun. */
  #opening: Pick<Opening, 'reading' | 'query'> | undefined

  constructor(api: Api, { organization, key, request, reading, query, slot }: Opening) {
    this.organization = organization
    this.key = key
    this.#api = api
    this.#request = request
    this.#slot = slot
    const { from, limit, skipsExhausted } = query
    this.#opening = { reading, query: { from, limit, skipsExhausted } }
  }

  ended(): StreamEnd | undefined {
    return this.#ended
  }

  hasEnded(): boolean {
    return this.#ended !== undefined
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
      void this.#begin().catch((error) => this.fail(error))
    })
  }

  async #begin(): Promise<void> {
    await this.writer.write(RETRY)
    const opening = this.#opening!
    this.#opening = undefined
    if (startsWithRecords(opening.reading))
      await recordProgress(this.#api.records, this.organization.id)
    awaitPage(this.#api, opening, [this])
  }

  renewCursor(): void {
    if (this.#isCursorOld()) this.next?.wake()
  }

  end(why: StreamEnd): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    this.next?.leave(this)
    this.#api.streams.remove(this, why)
    this.writer.end()
    this.#slot.free()
    this.#done()
  }

  /** An empty page may show the client that it has everything. */
  wantsEmpty({ hasMore }: Page): boolean {
    return (this.#sent?.hasMore === true && !hasMore) || this.#isCursorOld()
  }

  #isCursorOld(): boolean {
    if (this.#sent === undefined) return true
    return this.#api.clock.monotonic() - this.#sent.atUs >= CURSOR_EVERY_MS * 1_000
  }

  send({ body, disclosed, hasMore }: PageEvent): Promise<void> | undefined {
    const { directory, disclosures, clock, streams } = this.#api
    // The recipient and the purpose of the key may have changed since the stream was opened.
    const key = directory.keys.known(this.key.hash) ?? this.key
    if (disclosed.objects.length > 0) disclosures.answer(key, 'changes', disclosed)
    this.#sent = { atUs: clock.monotonic(), hasMore }
    streams.sent()
    return this.writer.write(body)
  }

  fail(error: unknown): Promise<void> {
    return this.endWith(failureRefusal(this.#api, this.#request, error))
  }

  async endWith(refusal: Refusal): Promise<void> {
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
