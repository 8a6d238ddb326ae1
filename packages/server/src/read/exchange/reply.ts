import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addAll } from '../../base/domain/common/any-number.ts'
import { toJson } from '../../base/domain/common/plain-json.ts'
import type { Language } from '../../base/domain/organization.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import { clientGone } from '../../base/http/send-whole.ts'
import { ForeignValue, QuotaUnavailable, WindowUnavailable } from '../../data/live/realtime.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import type { Api } from '../api.ts'
import type { Answer, EventStream } from '../call.ts'
import { contentTypeOf, type Format } from '../formats/formats.ts'
import { messageOf } from '../messages/refusal-messages.ts'
import { internal, type Refusal, unavailable } from '../refusal.ts'
import { exhaustedHeader } from '../request-limits.ts'
import { MAX_ITEMS } from './negotiation.ts'
import type { ApiRequest } from './request.ts'

/** An HTTP answer before it is compressed and written. */
export type Reply = {
  readonly status: number
  /** As name, value, name, value. */
  readonly headers: string[]
  readonly body: string | Buffer | AsyncIterable<Uint8Array> | EventStream | undefined
  /** The length in bytes of a text body, if known. */
  readonly bytes?: number | undefined
  /** Whether the body must not be compressed: it has the client's content coding, or wants none. */
  readonly isCoded?: boolean
  /** Whether to end the connection with it. */
  readonly close: boolean
}

const JSON_TYPE = contentTypeOf('json')
/** Browsers must not guess another content type. */
const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const

/**
 * A refusal with the contract's error body. `headers`: those of limits, as name, value, name, value.
 * `now`: milliseconds since the epoch.
 */
export function refusalReply(
  refusal: Refusal,
  headers: string[],
  language: Language,
  now: number,
): Reply & { body: string } {
  const all = [
    'Content-Type',
    JSON_TYPE,
    'Content-Language',
    language,
    'Vary',
    'Accept-Language',
    'Cache-Control',
    'no-store',
    ...NO_SNIFFING,
    ...headers,
  ]
  for (const [name, value] of Object.entries(refusal.headers ?? {})) all.push(name, value)
  const body = toJson({
    statusCode: refusal.status,
    errorCode: refusal.errorCode,
    message: messageOf(refusal, language),
    ...(refusal.progress !== undefined && { progress: refusal.progress }),
    timestamp: formatInstant(now),
  })
  return { status: refusal.status, headers: all, body, close: refusal.close ?? false }
}

/** Reverse proxies such as nginx pass each event on at once. */
const NO_BUFFERING = ['X-Accel-Buffering', 'no'] as const

export function isEventStream(body: Answer['body'] | undefined): body is EventStream {
  return typeof body === 'object' && 'run' in body
}

/**
 * A 200, or the 304 that replaces it if the client has the same body already (RFC 9110, 15.4.5). `format`: its
 * format, if the operation has several.
 */
export function answerReply(
  answer: Answer,
  headers: string[],
  request: ApiRequest,
  format?: Format,
): Reply | Promise<Reply> {
  const {
    next,
    withheld = [],
    recordsUntil,
    timeZone,
    body,
    bytes,
    isFresh,
    isPlain = false,
  } = answer
  const isOther = format !== undefined && format !== 'json'
  const tag = isOther && answer.tag !== undefined ? `${answer.tag}-${format}` : answer.tag
  const caching = isFresh ? 'no-store' : 'private, no-cache'
  const vary = format === undefined ? 'Accept-Encoding' : 'Accept, Accept-Encoding'
  headers.push('Cache-Control', caching, 'Vary', vary, ...NO_SNIFFING)
  if (tag !== undefined) {
    headers.push('ETag', `W/"${tag}"`)
    if (matchesTag(request.ifNoneMatch, tag)) {
      return { status: 304, headers, body: undefined, close: false }
    }
  }
  if (next !== undefined) headers.push('Link', `<${next}>; rel="next"`)
  if (recordsUntil !== undefined) headers.push('X-Records-Until', formatInstant(recordsUntil))
  if (timeZone !== undefined) headers.push('X-Time-Zone', timeZone)
  if (withheld.length > 0) addAll(headers, exhaustedHeader(withheld))
  const reply = { status: 200, headers, close: false, isCoded: isPlain }
  if (isEventStream(body)) {
    headers.push('Content-Type', 'text/event-stream', ...NO_BUFFERING)
    return { ...reply, body }
  }
  headers.push('Content-Type', isOther ? contentTypeOf(format) : JSON_TYPE)
  // Await only a promise.
  return typeof body === 'function'
    ? body().then((bytes) => ({ ...reply, body: bytes }))
    : { ...reply, body, bytes }
}

/**
 * Whether an `If-None-Match` header holds the entity tag: the weak comparison of RFC 9110, 8.8.3.2.
 * `tag` is the opaque part, without quotes. A tag after the first `MAX_ITEMS` does not count: the answer is then sent.
 */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch
    .split(',', MAX_ITEMS)
    .some((item) => item.trim().replace(/^W\//, '') === `"${tag}"`)
}

/** Seconds after which a client may try again when a part is down. */
export const RETRY_AFTER_SECONDS = 5
const OUTAGES = [StoreUnavailable, QuotaUnavailable, WindowUnavailable, ForeignValue]

/**
 * The refusal for an exception: a part is down, or an internal error. Work that ended because its client left is not
 * a failure, and nobody reads its answer.
 */
export function failureRefusal(
  api: Pick<Api, 'log'>,
  request: Pick<ApiRequest, 'id' | 'connection'>,
  error: unknown,
): Refusal {
  const gone = clientGone(request.connection)
  if (gone.aborted && error === gone.reason) return unavailable(RETRY_AFTER_SECONDS)
  const isOutage = OUTAGES.some((outage) => error instanceof outage)
  if (!isReported(error)) api.log.failure(error, request.id)
  return isOutage ? unavailable(RETRY_AFTER_SECONDS) : internal
}

/** Whether the log has the error already: a foreign value is logged once a minute, not once for each request. */
function isReported(error: unknown): boolean {
  return error instanceof ForeignValue || (error as Error)?.cause instanceof ForeignValue
}

const CUT_AFTER_BYTES = 1_024

/** The same answer, whose connection breaks after 1 KiB of the body. A shorter one is complete. */
export function cutShort(answer: Answer, connection: Socket): Answer {
  const { bytes: _, body, ...rest } = answer
  if (isEventStream(body)) return { ...rest, body: cutEvents(body) }
  return {
    ...rest,
    isPlain: true,
    body: async () => firstBytes(typeof body === 'function' ? await body() : body, connection),
  }
}

/** The next block is requested once the system has taken the last one, so the connection breaks after those bytes. */
async function* firstBytes(
  body: string | Buffer | AsyncIterable<Uint8Array>,
  connection: Socket,
): AsyncGenerator<Uint8Array> {
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
  let remaining = CUT_AFTER_BYTES
  for await (const block of isWhole ? [Buffer.from(body)] : body) {
    yield block.subarray(0, remaining)
    remaining -= block.length
    if (remaining > 0) continue
    connection.destroy()
    return
  }
}

function cutEvents(stream: EventStream): EventStream {
  return {
    ended: () => stream.ended(),
    run(response) {
      cutWrites(response)
      return stream.run(response)
    },
  }
}

function cutWrites(response: ServerResponse): void {
  const write = response.write.bind(response)
  let remaining = CUT_AFTER_BYTES
  response.write = (piece: string | Uint8Array): boolean => {
    const bytes = Buffer.from(piece)
    remaining -= bytes.length
    if (remaining > 0) return write(bytes)
    return write(bytes.subarray(0, bytes.length + remaining), () => response.destroy())
  }
}
