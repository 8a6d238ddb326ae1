import { type Connection, growing, pauseBefore } from '../connection.ts'
import { CursorExpiredError, FleetgateError, UnexpectedAnswerError } from '../errors.ts'
import type { Changes } from '../types.ts'
import { BrokenPagesError } from './broken-pages.ts'
import { type ChangesOptions, changesPath } from './changes-options.ts'
import type { ChangesPage } from './changes-page.ts'
import { readPage, streamPages } from './read-changes.ts'
import { TooManyStreamsError } from './too-many-streams.ts'

/** Cursors that are remembered, to leave out pages that come again. */
const KNOWN_CURSORS = 64
/** After streams without a page, that many pages are asked for before the next stream. */
const MAX_POLLS = 256

/** The state of an iteration. */
type Following = {
  readonly connection: Connection
  readonly options: ChangesOptions
  /** Where the next page begins. Null: at a start. */
  cursor: string | null
  /** The cursors of the last pages. */
  readonly known: Set<string>
  hasMore: boolean
  hadPage: boolean
  /** Consecutive attempts that brought no page. */
  failures: number
  /** Pages of the current stream, or of the last one. */
  streamPages: number
  /** Consecutive streams that brought no page, as when a proxy buffers them. */
  emptyStreams: number
  /** Pages to ask for before the next stream. */
  pollsLeft: number
  /** Consecutive starts that did not reach the newest change. */
  restarts: number
  retryMs: number | undefined
}

/**
 * The pages of changes, each once and in order. The iteration continues after a lost connection, a restart
 * of the server and a full window. If its cursor has expired, it starts again: then `after` of the page is
 * null.
 */
export async function* changes(
  connection: Connection,
  options: ChangesOptions,
): AsyncGenerator<ChangesPage, void, undefined> {
  const following: Following = {
    ...{ connection, options, cursor: options.cursor ?? null, known: new Set<string>() },
    ...{ hasMore: true, hadPage: false, failures: 0, emptyStreams: 0, pollsLeft: 0, restarts: 0 },
    ...{ streamPages: 0, retryMs: undefined },
  }
  const { live = 'stream', signal } = options
  for (;;) {
    const isStream = live === 'stream' && following.pollsLeft === 0
    try {
      for await (const page of isStream ? streamed(following) : polled(following)) {
        signal?.throwIfAborted()
        const next = taken(following, isStream, page)
        if (next !== undefined) yield next
        if (live === false && !following.hasMore) return
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      await recover(following, error)
    }
  }
}

/** An iteration gives up only before the first page, when its settings may be wrong, or if it is to end. */
function isPatient({ options, hadPage }: Following): boolean {
  return hadPage && options.live !== false
}

function patient(following: Following): Connection {
  const { connection } = following
  if (!isPatient(following)) return connection
  return { ...connection, retries: Number.POSITIVE_INFINITY, maxWaitMs: Number.POSITIVE_INFINITY }
}

function pathOf({ options, cursor, hadPage }: Following, isHeld: boolean): string {
  return changesPath(options, cursor, !hadPage, isHeld)
}

async function* polled(following: Following): AsyncGenerator<Changes> {
  const { options, hasMore } = following
  // A reader that is not known to have everything gets a page at once, which may say so.
  const path = pathOf(following, options.live !== false && !hasMore)
  const page = await readPage(patient(following), path, options.signal)
  following.pollsLeft = Math.max(0, following.pollsLeft - 1)
  yield page
}

async function* streamed(following: Following): AsyncGenerator<Changes> {
  const { options } = following
  const path = pathOf(following, false)
  following.streamPages = 0
  for await (const { page, retryMs } of streamPages(patient(following), path, options.signal)) {
    following.retryMs = retryMs
    following.emptyStreams = 0
    following.streamPages += 1
    yield page
  }
}

/** Takes note of a page. Returns undefined if it is an old one, or has nothing new. */
function taken(following: Following, isStream: boolean, page: Changes): ChangesPage | undefined {
  const { cursor: after, known } = following
  const isKnown = known.has(page.cursor)
  if (isKnown && page.changes.length > 0) {
    // A stream continues after it. A page that was asked for must be asked for again.
    if (isStream) return undefined
    throw new BrokenPagesError(
      'the server returned an earlier page again: check for a cache in between',
    )
  }
  const isNews = !isKnown || (following.hasMore && !page.has_more)
  known.delete(page.cursor)
  known.add(page.cursor)
  if (known.size > KNOWN_CURSORS) known.delete(known.values().next().value!)
  following.cursor = page.cursor
  following.hasMore = page.has_more
  following.hadPage = true
  following.failures = 0
  if (!page.has_more) following.restarts = 0
  return isNews ? { ...page, after } : undefined
}

/** Prepares the next attempt, and waits before it. Throws the error if there is none. */
async function recover(following: Following, error: unknown): Promise<void> {
  if (error instanceof CursorExpiredError && following.cursor !== null) {
    restart(following)
    if (following.restarts === 1) return
  } else if (error instanceof TooManyStreamsError) {
    turnToPolls(following)
    return
  } else if (error instanceof BrokenPagesError) {
    if (following.streamPages === 0) turnToPolls(following)
    if (!isPatient(following) && following.failures >= following.connection.retries) throw error
  } else if (!isPatient(following) || !isPassing(error)) {
    throw error
  }
  const leastMs = Math.max(following.retryMs ?? 0, growing(following.failures + following.restarts))
  following.failures += 1
  const { connection, options } = following
  await pauseBefore(connection, { path: '/changes', signal: options.signal }, error, leastMs)
}

function restart(following: Following): void {
  following.cursor = null
  following.known.clear()
  following.hasMore = true
  following.restarts += 1
}

/** A stream that brings no page brings none when it is opened again at once. */
function turnToPolls(following: Following): void {
  following.emptyStreams += 1
  following.pollsLeft = Math.min(2 ** following.emptyStreams, MAX_POLLS)
}

/** Another attempt may succeed, also where a single call would fail. */
function isPassing(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return true
  return error instanceof FleetgateError && error.status >= 500
}
