import { bytesOf } from './body.ts'
import type { Clock } from './clock.ts'
import { ConnectionError, errorOf, FleetgateError } from './errors.ts'
import type { ErrorBody } from './types.ts'
import { type RequestWindow, type Slot, toldBy } from './window.ts'

/** The global prefix and the version, which every path lies under. */
export const PREFIX = '/public/v1'

/** How a client reaches its server. */
export type Connection = {
  /** The versioned public base address, without a slash at its end. */
  readonly base: string
  readonly apiKey: string
  readonly fetch: typeof fetch
  readonly window: RequestWindow
  readonly clock: Clock
  /** How often a request that was refused for now is sent again. */
  readonly retries: number
  /** How long an answer may take to begin, and to go on. */
  readonly timeoutMs: number
  /** From 0 to below 1. */
  readonly random: () => number
}

export type Ask = {
  /** Behind the base address: `/objects`. */
  path: string
  signal: AbortSignal | undefined
  /** Whether its answer is charged to an object. */
  isCharged: boolean
  /** Whether it needs no key and counts for nobody. */
  isPublic: boolean
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** By which part a pause may be longer, so that many clients do not come back at once. */
const JITTER = 0.2

/** An answer of status 200. */
export type Answer = {
  headers: Headers
  /** Its bytes as they come; reject with `ConnectionError` where it breaks off or stops. */
  bytes: AsyncIterable<Uint8Array>
}

/**
 * What `read` makes of the answer, of status 200. What the server refuses for now (429, 503) is asked again after its
 * `Retry-After`: neither is charged. Where no answer came nobody knows whether the request was charged, so
 * then only what is not charged is asked again.
 */
export async function ask<Read>(
  connection: Connection,
  request: Ask,
  read: (answer: Answer) => Promise<Read>,
): Promise<Read> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read(await askOnce(connection, request, attempt > 0))
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason
      const pauseMs = attempt < connection.retries ? pauseAfter(error, request, attempt) : undefined
      if (pauseMs === undefined) throw error
      const longer = pauseMs * (1 + JITTER * connection.random())
      // Others of this client would be refused as well.
      if (error instanceof FleetgateError && error.status === 429) connection.window.hold(longer)
      else await pause(connection.clock, longer, request.signal)
    }
  }
}

async function askOnce(connection: Connection, request: Ask, again: boolean): Promise<Answer> {
  const { window, clock, timeoutMs } = connection
  const slot = request.isPublic ? undefined : await window.slot(request.signal, again)
  const response = await send(connection, request, slot)
  if (response.status === 200) {
    return { headers: response.headers, bytes: bytesOf(response, clock, timeoutMs) }
  }
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorBody>
  throw errorOf(response.status, body, retryAfterMs(response.headers))
}

async function send(
  connection: Connection,
  request: Ask,
  slot: Slot | undefined,
): Promise<Response> {
  // By itself: a runtime's own may not be called as something else's method.
  const { apiKey, base, clock, fetch, timeoutMs } = connection
  const { path, signal, isPublic } = request
  const tooLate = new AbortController()
  const disarm = clock.after(timeoutMs, () => {
    tooLate.abort(new Error(`no answer within ${timeoutMs} ms`))
  })
  const signals = signal === undefined ? [tooLate.signal] : [tooLate.signal, signal]
  try {
    const response = await fetch(base + path, {
      headers: isPublic ? {} : { 'x-api-key': apiKey },
      signal: AbortSignal.any(signals),
      // A key is sent to nobody but whom it was given for.
      redirect: 'error',
    })
    if (response.status === 429) slot?.refused(retryAfterMs(response.headers) ?? FIRST_PAUSE_MS)
    else slot?.answered(toldBy(response.headers))
    return response
  } catch (cause) {
    slot?.answered()
    throw new ConnectionError(`no answer from ${base}`, { cause })
  } finally {
    disarm()
  }
}

function pauseAfter(error: unknown, { isCharged }: Ask, attempt: number): number | undefined {
  const growing = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS)
  if (error instanceof FleetgateError) {
    const isForNow = error.status === 429 || error.status === 503
    return isForNow ? (error.retryAfterMs ?? growing) : undefined
  }
  return error instanceof ConnectionError && !isCharged ? growing : undefined
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

function retryAfterMs(headers: Headers): number | undefined {
  const seconds = /^\d+$/.exec(headers.get('retry-after') ?? '')?.[0]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
