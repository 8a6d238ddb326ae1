import { type AnswerInfo, infoOf, keyFaultIn, type RetryInfo, withoutQuery } from './answer-info.ts'
import { bytesOf, errorIn } from './body.ts'
import { TooManyStreamsError } from './changes/too-many-streams.ts'
import type { Clock } from './clock.ts'
import { ConnectionError, errorOf, FleetgateError, RateLimitedError } from './errors.ts'
import { type RequestWindow, reportedWindow, type Slot } from './window.ts'

/** The global prefix and version of every path. */
export const PREFIX = '/public/v1'

/** The settings of a client. */
export type Connection = {
  /** The versioned public base address, without a slash at its end. */
  readonly base: string
  readonly apiKey: string
  /** For `Accept-Language`. */
  readonly language?: string | undefined
  readonly fetch: typeof fetch
  readonly window: RequestWindow
  readonly clock: Clock
  /** How often a request is sent again if the server could not answer (503) or no answer came. */
  readonly retries: number
  /** How long a request is sent again while others use up the window (429). */
  readonly maxWaitMs: number
  /** How long an answer may take to begin, and to continue. */
  readonly timeoutMs: number
  /** A number in [0, 1). */
  readonly random: () => number
  /** Called with each answer, including refusals. */
  readonly onAnswer?: ((answer: AnswerInfo) => void) | undefined
  /** Called before a request waits to be sent again. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined
}

/** Options of every call. */
export type CallOptions = { signal?: AbortSignal }

export type Ask = {
  /** The path after the base address: `/objects`. */
  path: string
  signal: AbortSignal | undefined
  /** Whether to send the request again without a complete answer. It may then be charged twice. */
  isRepeatable: boolean
  /** Whether the request needs no key and is not counted. */
  isPublic: boolean
  /** For `Accept`. */
  accept?: string
  /** Replaces the connection's, for an answer that the server holds. */
  timeoutMs?: number
}

/** For `Accept` of a stream. */
export const EVENTS = 'text/event-stream'

/** For answers that the server may hold for 25 seconds before they begin. */
export const HELD_TIMEOUT_MS = 60_000

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** A pause is longer by a random share up to this one, so that many clients do not return at once. */
const JITTER = 0.2
/** The share after a 429. It is small, because the first client to return gets the free place. */
const WINDOW_JITTER_MS = 250

/** An answer of status 200. */
export type Answer = {
  headers: Headers
  /** The bytes as they come. They reject with `ConnectionError` if the answer breaks off or stops. */
  bytes: AsyncIterable<Uint8Array>
}

/**
 * Sends a request and returns the result of `read` for an answer with status 200. Sends it again after
 * its `Retry-After` if the server has not charged it: for up to `maxWaitMs` while others use up the
 * window, or answers with all rows of a range are under way (429), and `retries` times if the server is not ready (503). Without an answer, or after a
 * proxy's answer (502, 504), the request may have been charged, so only repeatable requests are sent
 * again.
 */
export async function ask<Read>(
  connection: Connection,
  request: Ask,
  read: (answer: Answer) => Promise<Read>,
): Promise<Read> {
  const { random, window } = connection
  const tries: Tries = { failures: 0, refusals: 0, refusedSince: undefined }
  for (;;) {
    try {
      return await read(await askOnce(connection, request, tries.failures + tries.refusals > 0))
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason
      if (error instanceof RowsInTurnError) {
        await pauseBefore(connection, request, error, pauseAfterRefusal(error, connection, tries))
      } else if (error instanceof RateLimitedError) {
        const pauseMs = pauseAfterRefusal(error, connection, tries) + WINDOW_JITTER_MS * random()
        connection.onRetry?.({ path: withoutQuery(request.path), error, waitMs: pauseMs })
        // The server would refuse other requests of this client too.
        window.hold(pauseMs)
      } else {
        const leastMs = pauseAfterFailure(error, connection, request, tries)
        await pauseBefore(connection, request, error, leastMs)
      }
    }
  }
}

async function askOnce(connection: Connection, request: Ask, again: boolean): Promise<Answer> {
  const { window, clock } = connection
  const timeoutMs = timeoutOf(connection, request)
  const slot = request.isPublic ? undefined : await window.slot(request.signal, again)
  const { response, info } = await send(connection, request, slot)
  connection.onAnswer?.(info)
  const bytes = bytesOf(response, clock, timeoutMs)
  if (response.status === 200) return { headers: response.headers, bytes }
  const body = await errorIn(bytes, clock, timeoutMs)
  if (!hasRoom(response)) throw errorOf(info, body, keyFaultIn(response.headers))
  throw request.accept === EVENTS
    ? new TooManyStreamsError(info, body)
    : new RowsInTurnError(info, body)
}

/** A 429 although the window has room: other answers with all rows of a range are under way. */
class RowsInTurnError extends RateLimitedError {}

/**
 * Whether a request was refused for another reason than the window, which has room. The window does not count it.
 */
function hasRoom({ status, headers }: Response): boolean {
  return status === 429 && (reportedWindow(headers)?.remaining ?? 0) > 0
}

function timeoutOf(connection: Connection, request: Ask): number {
  return request.timeoutMs ?? connection.timeoutMs
}

async function send(
  connection: Connection,
  request: Ask,
  slot: Slot | undefined,
): Promise<{ response: Response; info: AnswerInfo }> {
  // Call it as a function: some runtimes reject it as a method of another object.
  const { base, clock, fetch } = connection
  const { path, signal } = request
  const timeoutMs = timeoutOf(connection, request)
  const tooLate = new AbortController()
  const disarm = clock.after(timeoutMs, () => {
    tooLate.abort(new Error(`no response within ${timeoutMs} ms`))
  })
  const signals = signal === undefined ? [tooLate.signal] : [tooLate.signal, signal]
  try {
    const response = await fetch(base + path, {
      headers: headersOf(connection, request),
      signal: AbortSignal.any(signals),
      // Send the key only to the configured server.
      redirect: 'error',
    })
    const info = infoOf(path, response)
    if (hasRoom(response)) slot?.returned()
    else if (response.status === 429) slot?.refused(info.retryAfterMs ?? FIRST_PAUSE_MS)
    else slot?.answered(reportedWindow(response.headers))
    return { response, info }
  } catch (cause) {
    slot?.answered()
    throw new ConnectionError(`no response from ${base}`, { cause })
  } finally {
    disarm()
  }
}

function headersOf(
  { apiKey, language }: Connection,
  { accept, isPublic }: Ask,
): Record<string, string> {
  return {
    ...(accept !== undefined && { accept }),
    ...(language !== undefined && { 'accept-language': language }),
    ...(!isPublic && { 'x-api-key': apiKey }),
  }
}

/** The state of a request. */
type Tries = { failures: number; refusals: number; refusedSince: number | undefined }

/** Milliseconds until a place may be free. Throws the error if that is beyond `maxWaitMs`. */
function pauseAfterRefusal(
  error: RateLimitedError,
  { clock, maxWaitMs }: Connection,
  tries: Tries,
): number {
  const now = clock.now()
  tries.refusedSince ??= now
  const pauseMs = error.retryAfterMs ?? growing(tries.refusals)
  if (now + pauseMs > tries.refusedSince + maxWaitMs) throw error
  tries.refusals += 1
  return pauseMs
}

/** Milliseconds until the next attempt. Throws the error if there is none. */
function pauseAfterFailure(
  error: unknown,
  { retries }: Connection,
  { isRepeatable }: Ask,
  tries: Tries,
): number {
  const status = error instanceof FleetgateError ? error.status : undefined
  const isLost = error instanceof ConnectionError || status === 502 || status === 504
  const isPassing = status === 503 || (isLost && isRepeatable)
  if (!isPassing || tries.failures >= retries) throw error
  const asked = error instanceof FleetgateError ? error.retryAfterMs : undefined
  const pauseMs = asked ?? growing(tries.failures)
  tries.failures += 1
  return pauseMs
}

/**
 * Waits before the request, or the rest of its answer, is asked for again. Rejects with the signal's
 * reason.
 */
export async function pauseBefore(
  { clock, random, onRetry }: Connection,
  { path, signal }: Pick<Ask, 'path' | 'signal'>,
  error: unknown,
  leastMs: number,
): Promise<void> {
  const waitMs = leastMs * (1 + JITTER * random())
  onRetry?.({ path: withoutQuery(path), error: error as Error, waitMs })
  await pause(clock, waitMs, signal)
}

/** Milliseconds of a pause after a number of attempts. */
export function growing(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS)
}

function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      disarm()
      reject(signal!.reason)
    }
    const disarm = clock.after(ms, () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    })
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
  })
}
