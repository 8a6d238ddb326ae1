import { type AnswerInfo, infoOf, type RetryInfo } from './answer-info.ts'
import { bytesOf } from './body.ts'
import type { Clock } from './clock.ts'
import { ConnectionError, errorOf, FleetgateError, RateLimitedError } from './errors.ts'
import type { ErrorBody } from './types.ts'
import { type RequestWindow, type Slot, toldBy } from './window.ts'

/** The global prefix and the version, which every path lies under. */
export const PREFIX = '/public/v1'

/** How a client reaches its server. */
export type Connection = {
  /** The versioned public base address, without a slash at its end. */
  readonly base: string
  readonly apiKey: string
  /** For `Accept-Language`. */
  readonly language?: string | undefined
  readonly fetch: typeof fetch
  readonly window: RequestWindow
  readonly clock: Clock
  /** How often a request that the server could not answer (503), or that got no answer, is sent again. */
  readonly retries: number
  /** How long a request is sent again because others use up the window (429). */
  readonly maxWaitMs: number
  /** How long an answer may take to begin, and to go on. */
  readonly timeoutMs: number
  /** From 0 to below 1. */
  readonly random: () => number
  /** Called with each answer, refusals included. */
  readonly onAnswer?: ((answer: AnswerInfo) => void) | undefined
  /** Called before a request waits to be sent again. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined
}

export type Ask = {
  /** Behind the base address: `/objects`. */
  path: string
  signal: AbortSignal | undefined
  /** Whether it may be sent again where no whole answer came: nobody knows whether that one was charged. */
  isRepeatable: boolean
  /** Whether it needs no key and counts for nobody. */
  isPublic: boolean
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** By which part a pause may be longer, so that many clients do not come back at once. */
const JITTER = 0.2
/** The same after a 429. It is short, because the window's free place is taken by who comes first. */
const WINDOW_JITTER_MS = 250

/** An answer of status 200. */
export type Answer = {
  headers: Headers
  /** Its bytes as they come; reject with `ConnectionError` where it breaks off or stops. */
  bytes: AsyncIterable<Uint8Array>
}

/**
 * What `read` makes of the answer, of status 200. A request is sent again, after its `Retry-After`, where the
 * server has not charged it: for `maxWaitMs` where others use up the window (429), `retries` times where the
 * server is not ready (503). Where no answer came, or a proxy's (502, 504), nobody knows whether the request was
 * charged, so then only repeatable requests are sent again.
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
      if (error instanceof RateLimitedError) {
        const pauseMs = pauseAfterRefusal(error, connection, tries) + WINDOW_JITTER_MS * random()
        connection.onRetry?.({ path: request.path, error, waitMs: pauseMs })
        // Other requests of this client would be refused as well.
        window.hold(pauseMs)
      } else {
        const leastMs = pauseAfterFailure(error, connection, request, tries)
        await pauseBefore(connection, request, error, leastMs)
      }
    }
  }
}

async function askOnce(connection: Connection, request: Ask, again: boolean): Promise<Answer> {
  const { window, clock, timeoutMs } = connection
  const slot = request.isPublic ? undefined : await window.slot(request.signal, again)
  const { response, info } = await send(connection, request, slot)
  connection.onAnswer?.(info)
  if (response.status === 200) {
    return { headers: response.headers, bytes: bytesOf(response, clock, timeoutMs) }
  }
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorBody>
  throw errorOf(info, body)
}

async function send(
  connection: Connection,
  request: Ask,
  slot: Slot | undefined,
): Promise<{ response: Response; info: AnswerInfo }> {
  // By itself: a runtime's own may not be called as something else's method.
  const { base, clock, fetch, timeoutMs } = connection
  const { path, signal } = request
  const tooLate = new AbortController()
  const disarm = clock.after(timeoutMs, () => {
    tooLate.abort(new Error(`no answer within ${timeoutMs} ms`))
  })
  const signals = signal === undefined ? [tooLate.signal] : [tooLate.signal, signal]
  try {
    const response = await fetch(base + path, {
      headers: headersOf(connection, request),
      signal: AbortSignal.any(signals),
      // A key is sent to nobody but whom it was given for.
      redirect: 'error',
    })
    const info = infoOf(path, response)
    if (response.status === 429) slot?.refused(info.retryAfterMs ?? FIRST_PAUSE_MS)
    else slot?.answered(toldBy(response.headers))
    return { response, info }
  } catch (cause) {
    slot?.answered()
    throw new ConnectionError(`no answer from ${base}`, { cause })
  } finally {
    disarm()
  }
}

function headersOf({ apiKey, language }: Connection, { isPublic }: Ask): Record<string, string> {
  return {
    ...(language !== undefined && { 'accept-language': language }),
    ...(!isPublic && { 'x-api-key': apiKey }),
  }
}

/** What became of a request so far. */
type Tries = { failures: number; refusals: number; refusedSince: number | undefined }

/** Milliseconds until there may be room; throws the error where that is beyond `maxWaitMs`. */
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

/** Milliseconds until the next try; throws the error where there is to be none. */
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

/** Waits before the request, or the rest of its answer, is asked for again; rejects with the signal's reason. */
export async function pauseBefore(
  { clock, random, onRetry }: Connection,
  { path, signal }: Ask,
  error: unknown,
  leastMs: number,
): Promise<void> {
  const waitMs = leastMs * (1 + JITTER * random())
  onRetry?.({ path, error: error as Error, waitMs })
  await pause(clock, waitMs, signal)
}

/** Milliseconds of a pause after so many tries before it. */
export function growing(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS)
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
