import type { Directory } from '../../cache/directory.ts'
import type { Credential } from '../../domain/credential.ts'
import { sightOf } from '../../domain/key-scope.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { EventWriter } from './event-writer.ts'
import type { StreamEnd } from './stream-end.ts'

/** The organization and the key of a request, as they were when it came. */
type Access = { readonly organization: Organization; readonly key: Credential }

export type OpenStream = Access & {
  readonly writer: EventWriter
  /** Sends a page although nothing has changed, if the last one was long ago. */
  renewCursor(): void
  end(why: StreamEnd): void
}

/** A request that waits for a change. */
export type HeldRequest = Access & {
  /** Ends the wait: the key, what it opens, or the subscription is another one now. */
  end(): void
}

/** The parts that tell whether a client still has access. */
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
const BEAT_AFTER_MS = 14_000
/** A client that takes nothing of an event for this long continues from its cursor over a new stream. */
const STALL_MS = 30_000

/** Whether the scope of a key opens something else than when its stream was opened. */
function hasOtherSight(found: Credential, opened: Credential): boolean {
  return found.scope !== opened.scope && sightOf(found.scope) !== sightOf(opened.scope)
}

export function openStreams(
  maxStreams: number,
  { directory, catchUp, clock }: StreamParts,
  counts: StreamCounts,
): OpenStreams {
  const streams = new Set<OpenStream>()
  const held = new Set<HeldRequest>()
  let looks: NodeJS.Timeout | undefined
  let isLooking = false
  let isClosed = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    // During an outage of the store, keys and organizations are as last known.
    await Promise.resolve()
      .then(catchUp)
      .catch(() => undefined)
    for (const request of held) if ((await lossOf(request)) !== undefined) request.end()
    for (const stream of streams) await lookAt(stream)
    isLooking = false
  }

  async function lossOf({
    organization,
    key,
  }: Access): Promise<'key' | 'subscription' | undefined> {
    const found = directory.keys.find(key.hash, clock.now())
    if (found === undefined || hasOtherSight(found, key)) return 'key'
    const current = directory.organization(organization.id)
    const now = current instanceof Promise ? await current.catch(() => organization) : current
    if (now === null) return 'key'
    return now.subscription === organization.subscription ? undefined : 'subscription'
  }

  async function lookAt(stream: OpenStream): Promise<void> {
    const { writer } = stream
    const loss = await lossOf(stream)
    if (loss !== undefined) return stream.end(loss)
    if (writer.isStalled(STALL_MS)) return stream.end('slow')
    if (writer.quietMs() >= BEAT_AFTER_MS) writer.beat()
    stream.renewCursor()
  }

  function startLooks(): void {
    looks ??= setInterval(() => void look(), LOOK_MS)
  }

  function stopLooks(): void {
    if (streams.size + held.size > 0) return
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
      held.add(request)
      startLooks()
      return () => {
        held.delete(request)
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
