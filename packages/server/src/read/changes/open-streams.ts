import type { ServerResponse } from 'node:http'
import type { Credential } from '../../base/domain/credential.ts'
import { sightOf } from '../../base/domain/key-scope.ts'
import { MAX_STREAMS } from '../../base/domain/limits.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import { whenGone } from '../../base/http/send-whole.ts'
import { takenBytes } from '../../base/http/unread-answers.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { StreamSlot, StreamSlots } from '../../data/live/realtime.ts'

/*
 * The open streams of a process: how an event is written to a client, and who still has access.
 */

/** The organization and the key of a request, as they were when it came. */
type Access = { readonly organization: Organization; readonly key: Credential }

/** Why a stream of events ended. `slow`: the client took nothing for long. `resync`: its cursor has expired. */
export type StreamEnd = 'client' | 'slow' | 'key' | 'subscription' | 'drain' | 'resync' | 'error'

export type OpenStream = Access & {
  readonly writer: EventWriter
  /** Sends a page although nothing has changed, if the last one was long ago. */
  renewCursor(): void
  end(why: StreamEnd): void
}

/** A request that waits for a change. */
type HeldRequest = Access & {
  /** Ends the wait, because the key, its scope or the subscription has changed. */
  end(): void
}

/** The parts that know whether a client still has access. */
export type StreamParts = { directory: Directory; catchUp: Directory['catchUp']; clock: Clock }

/** Counts for the metrics. */
export type StreamCounts = { opened(): void; sent(): void; ended(why: StreamEnd): void }

/** The open streams of a process, and the requests that it holds. */
export type OpenStreams = {
  /** False if the process holds as many as it may. */
  hasRoom(): boolean
  /** Looks after a stream. Ends it in the next turn if the streams are closed. */
  add(stream: OpenStream): void
  remove(stream: OpenStream, why: StreamEnd): void
  /** Looks after a held request until the returned function is called. */
  hold(request: HeldRequest): () => void
  /** Notes that a page was sent. */
  sent(): void
  /** Ends all streams, and later ones at once. */
  close(): void
}

/** Access that was lost, and stalled clients, are noticed within this time, a quarter of it on average. */
const LOOK_MS = 500
/** A comment is written at least every 15 s, so that no proxy takes a quiet stream for a dead one. */
const KEEP_ALIVE_AFTER_MS = 14_000
/** A client that takes nothing of an event for this long continues from its cursor over a new stream. */
const STALL_MS = 30_000

export function openStreams(
  maxStreams: number,
  parts: StreamParts,
  counts: StreamCounts,
): OpenStreams {
  const streams = new Set<OpenStream>()
  const heldRequests = new Set<HeldRequest>()
  let looks: NodeJS.Timeout | undefined
  let isLooking = false
  let isClosed = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    // During an outage of the store, keys and organizations are as last known.
    await Promise.resolve()
      .then(parts.catchUp)
      .catch(() => undefined)
    for (const request of heldRequests)
      if ((await lossOf(parts, request)) !== undefined) request.end()
    for (const stream of streams) await lookAfter(parts, stream)
    isLooking = false
  }

  function startLooks(): void {
    looks ??= setInterval(() => void look(), LOOK_MS)
  }

  function stopLooks(): void {
    if (streams.size + heldRequests.size > 0) return
    clearInterval(looks)
    looks = undefined
  }

  return {
    hasRoom: () => streams.size < maxStreams,
    add(stream) {
      streams.add(stream)
      counts.opened()
      startLooks()
      if (isClosed) queueMicrotask(() => stream.end('drain'))
    },
    remove(stream, why) {
      streams.delete(stream)
      counts.ended(why)
      stopLooks()
    },
    hold(request) {
      heldRequests.add(request)
      startLooks()
      return () => {
        heldRequests.delete(request)
        stopLooks()
      }
    },
    sent: counts.sent,
    close() {
      isClosed = true
      for (const stream of [...streams]) stream.end('drain')
    },
  }
}

/** Ends a stream whose client has lost its access or does not read, and keeps any other alive. */
async function lookAfter(parts: StreamParts, stream: OpenStream): Promise<void> {
  const { writer } = stream
  const loss = await lossOf(parts, stream)
  if (loss !== undefined) return stream.end(loss)
  if (writer.isStalled(STALL_MS)) return stream.end('slow')
  if (writer.quietMs() >= KEEP_ALIVE_AFTER_MS) writer.keepAlive()
  stream.renewCursor()
}

/** The part of its access that a client has lost since it came. Undefined: none. */
async function lossOf(
  { directory, clock }: StreamParts,
  { organization, key }: Access,
): Promise<'key' | 'subscription' | undefined> {
  const found = directory.keys.find(key.hash, clock.now())
  if (found === undefined || hasOtherSight(found, key)) return 'key'
  const current = directory.organization(organization.id)
  const now = current instanceof Promise ? await current.catch(() => organization) : current
  if (now === null) return 'key'
  return now.subscription === organization.subscription ? undefined : 'subscription'
}

/** Whether the scope of a key opens other data than when its stream was opened. */
function hasOtherSight(found: Credential, opened: Credential): boolean {
  return found.scope !== opened.scope && sightOf(found.scope) !== sightOf(opened.scope)
}

/** The streams of a key are counted under this number and its id. No organization and no test key has such a number. */
const KEY_HOLDERS = 2 ** 51

/**
 * Takes a slot for a stream. A key with a share of the window may hold as many streams of its organization's as its
 * share. Null if none is free.
 */
export async function takeStreamSlot(
  slots: StreamSlots,
  { id, organization, scope }: Pick<Credential, 'id' | 'organization' | 'scope'>,
): Promise<StreamSlot | null> {
  const share = scope?.windowShare ?? null
  if (share === null) return takeAtOnce(slots, organization)
  const own = await takeAtOnce(slots, KEY_HOLDERS + id, share)
  if (own === null) return null
  let shared: StreamSlot | null = null
  try {
    shared = await takeAtOnce(slots, organization)
  } finally {
    if (shared === null) own.free()
  }
  return shared && both(own, shared)
}

async function takeAtOnce(slots: StreamSlots, holder: number, limit = MAX_STREAMS) {
  const slot = await slots.lineUp(holder, limit)
  if (await slot.isTaken()) return slot
  slot.free()
  return null
}

function both(own: StreamSlot, shared: StreamSlot): StreamSlot {
  return {
    free() {
      own.free()
      shared.free()
    },
  }
}

const COMMENT = ':\n\n'

/** Writes server-sent events (HTML, 9.2) to one client. */
export class EventWriter {
  readonly #response: ServerResponse
  readonly #forget: () => void
  #writtenAt = performance.now()
  #taken = 0
  #takenAt = 0
  /** Continues an event that waits for room. */
  #resume: (() => void) | undefined
  #isWriting = false
  #isGone = false

  /** `gone` is called once, when the client has gone. */
  constructor(response: ServerResponse, gone: () => void) {
    this.#response = response
    this.#forget = whenGone(response, () => {
      this.#isGone = true
      this.#resume?.()
      gone()
    })
    response.on('drain', () => this.#resume?.())
  }

  /**
   * Resolves when the system has room for more, or the client has gone. Undefined: it has room at once. Only one call at
   * a time.
   */
  write(event: string | Buffer | AsyncIterable<Buffer>): Promise<void> | undefined {
    const isWhole = typeof event === 'string' || Buffer.isBuffer(event)
    const writing = isWhole ? this.#writePiece(event) : this.#writePieces(event)
    if (writing === undefined) return undefined
    this.#isWriting = true
    this.#takenAt = performance.now()
    return writing.finally(() => {
      this.#isWriting = false
    })
  }

  async #writePieces(event: AsyncIterable<Buffer>): Promise<void> {
    for await (const piece of event) {
      await this.#writePiece(piece)
      if (this.#isGone) return
    }
  }

  /** Writes a comment, unless an event is being written. */
  keepAlive(): void {
    if (!this.#isWriting) void this.#writePiece(COMMENT)
  }

  /** Milliseconds since something was written. */
  quietMs(): number {
    return performance.now() - this.#writtenAt
  }

  /** Whether an event is being written, and the client took nothing of it for `ms`. */
  isStalled(ms: number): boolean {
    const now = takenBytes(this.#response.req.socket)
    if (!this.#isWriting || now !== this.#taken) this.#takenAt = performance.now()
    this.#taken = now
    return performance.now() - this.#takenAt > ms
  }

  /** Ends the answer, or cuts the connection if an event is being written. */
  end(): void {
    this.#forget()
    if (this.#isWriting) this.#response.req.socket.destroy()
    else this.#response.end()
    this.#isGone = true
    this.#resume?.()
  }

  #writePiece(piece: string | Buffer): Promise<void> | undefined {
    if (this.#isGone) return undefined
    this.#writtenAt = performance.now()
    if (this.#response.write(piece)) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }
}
