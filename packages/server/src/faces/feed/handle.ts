import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Denial } from '../../base/access/authenticate-key.ts'
import type { InTurn } from '../../base/domain/common/slots.ts'
import { DEPLOYMENT } from '../../base/domain/routing-rule.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import { newRequestId, REQUEST_ID } from '../../base/http/listener-log.ts'
import {
  discardBody,
  type HeldMemory,
  type HoldMemory,
  type TakenBody,
  takeBody,
  type UntakenBody,
} from '../../base/http/request-body.ts'
import { sendWhole } from '../../base/http/send-whole.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { isWithheld } from '../../engine/tracking/withheld.ts'
import type { FeedLog, FeedMetrics, RejectingRequest } from './feed-log.ts'
import {
  bodyTooLarge,
  brokenGzip,
  type FeedRefusal,
  internal,
  malformedRequest,
  queueFull,
  requestTimeout,
  storeUnreachable,
  unauthorized,
  unknownCoding,
} from './feed-refusal.ts'
import { type FeedReply, refusalReply, rejectedRows, tallyOf } from './feed-reply.ts'
import { type FeedRequest, type Format, SLICE_BYTES } from './formats/format.ts'
import { attributesIn, type Ingest, type Row, type RowOutcome } from './packet.ts'
import { findRoute } from './route.ts'
import { type FeedDenial, type FeedToken, presentedToken } from './token.ts'

/** The parts of the feed. */
export type Feed = {
  ingest: Ingest
  /**
   * Afterwards the changes of other processes are known, tokens included. Undefined if they are already.
   */
  catchUp(): Promise<void> | undefined
  /** `now`: milliseconds since the epoch. */
  findToken(token: string, now: number): FeedToken | undefined
  denialOf: FeedDenial
  holdMemory: HoldMemory
  inReadingTurn: InTurn
  clock: Clock
  log: FeedLog
  metrics: FeedMetrics
}

/**
 * Memory for each row in addition to its text: the row itself (up to 430 bytes were measured), its outcome and its part
 * of the answer.
 */
export const ROW_BYTES = 512

/** Memory for each attribute of a row: the pair and its number. Rows share the names. */
export const ATTRIBUTE_BYTES = 64

/** The same for a row that is kept as it was sent, until a rule has seen it, and may go to two organizations. */
const ROUTED_ROW_BYTES = 3 * ROW_BYTES

function memoryOf(rows: readonly Row[], isRouted: boolean): number {
  const rowBytes = isRouted ? ROUTED_ROW_BYTES : ROW_BYTES
  return rows.length * rowBytes + attributesIn(rows) * ATTRIBUTE_BYTES
}

/** The token of a request is looked up again after a body that took longer, because it may have ended meanwhile. */
const LOOKED_UP_MS = 1_000

/** The progress of a request. */
type Exchange = {
  id: string
  format: string
  token: FeedToken | undefined
  denial: Denial | undefined
  /** The request's share of the feed's memory, once its organization is known. */
  held: HeldMemory | undefined
  /** Whether the sender waits for leave to send its body. */
  isWaiting: boolean
}

/**
 * Handles one request, from its headers to its answer and its line in the log. Never rejects.
 * `expectsContinue`: the sender asked whether it may send its body. `endsConnection`: whether the answer
 * whose head is being written must be the last of its connection.
 */
export async function handle(
  feed: Feed,
  message: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  endsConnection: () => boolean,
): Promise<void> {
  const startedUs = feed.clock.monotonic()
  const exchange: Exchange = {
    id: newRequestId(),
    format: 'none',
    token: undefined,
    denial: undefined,
    held: undefined,
    isWaiting: expectsContinue,
  }
  const reply = await makeReply(feed, message, response, exchange)
  releaseWhenGone(exchange.held, message, response)
  if (reply !== 'cut' && !response.destroyed) {
    // A sender that waited for leave may send its body or not, so nobody knows what comes next.
    const mustClose = endsConnection() || exchange.isWaiting || isClosing(reply)
    const answer = isRefusal(reply) ? refusalReply(reply, feed.clock.now()) : reply
    const sending = write(response, answer, exchange.id, mustClose)
    discardBody(message)
    feed.metrics.request(exchange.format, reply.status)
    if (sending !== undefined) await sending
    if (!isRefusal(reply)) return
  }
  feed.log.failed({
    id: exchange.id,
    message,
    format: exchange.format,
    token: exchange.token,
    denial: exchange.denial,
    refusal: reply !== 'cut' && isRefusal(reply) ? reply : undefined,
    durationUs: feed.clock.monotonic() - startedUs,
  })
}

async function makeReply(
  feed: Feed,
  message: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
): Promise<FeedReply | FeedRefusal | 'cut'> {
  try {
    const route = findRoute(message.method ?? '', message.url ?? '')
    if ('status' in route) return route
    const { format, query } = route
    exchange.format = format.name
    const now = feed.clock.now()
    const catchingUp = feed.catchUp()
    if (catchingUp !== undefined) await catchingUp
    const presented = presentedToken(route.token, message.rawHeaders)
    const token = presented === undefined ? undefined : feed.findToken(presented, now)
    if (token === undefined) {
      exchange.denial = feed.denialOf(route.token, message.rawHeaders, now)
      return unauthorized
    }
    exchange.token = token
    if (message.headers.host === undefined && message.httpVersion === '1.1') return malformedRequest
    const memory = feed.holdMemory(token.organization)
    exchange.held = memory
    const body = await takeBody(message, format.maxBytes, memory, () => {
      if (exchange.isWaiting) response.writeContinue()
      exchange.isWaiting = false
    })
    if ('fault' in body) return refusedBody(body, format.maxBytes)
    const later = feed.clock.now()
    if (body.sent.length > 0 && later - now > LOOKED_UP_MS) {
      await feed.catchUp()
      if (feed.findToken(presented!, later) === undefined) {
        exchange.denial = feed.denialOf(route.token, message.rawHeaders, later)
        return unauthorized
      }
    }
    const isRouted = token.organization === DEPLOYMENT
    const { headers } = message
    const request = { query, headers, body: body.sent, client: token.client, isRouted }
    const rows =
      body.sent.length <= SLICE_BYTES && !body.isPacked
        ? await format.read(request, now)
        : await feed.inReadingTurn(token.organization, () =>
            readLong(format, message, request, now, body),
          )
    if (!Array.isArray(rows)) return rows
    if (!memory.hold(memoryOf(rows, isRouted))) return queueFull
    const outcomes = rows.length === 0 ? [] : await feed.ingest.take(token, rows, format.name)
    const tally = tallyOf(outcomes)
    feed.metrics.rows(format.name, tally)
    const noted =
      tally.rejected === 0 ? rows : rows.filter((_, index) => !leavesNoTrace(outcomes[index]!))
    feed.metrics.unread(format.name, noted)
    const reply = format.answer(rows, outcomes, tally)
    if (tally.rejected > 0) {
      const request = { id: exchange.id, message, format: format.name, token }
      noteRejected(feed, request, outcomes, isRefusal(reply))
    }
    return reply
  } catch (error) {
    return failureRefusal(feed, exchange.id, error)
  }
}

function leavesNoTrace(outcome: RowOutcome): boolean {
  return typeof outcome === 'object' && isWithheld(outcome.reason)
}

/** Counts the rejected rows of a request, and logs them if somebody must act on them. */
function noteRejected(
  { metrics, log }: Feed,
  request: Omit<RejectingRequest, 'reasons'>,
  outcomes: readonly RowOutcome[],
  isRefused: boolean,
): void {
  const rejected = rejectedRows(outcomes)
  metrics.rejected(request.format, rejected)
  // A refusal has its own line.
  if (rejected.isWrong && !isRefused) log.rejected({ ...request, reasons: rejected.reasons })
}

/** The rows of a body that takes long to read: it is compressed, or has many rows. */
async function readLong(
  format: Format,
  message: IncomingMessage,
  request: FeedRequest,
  now: number,
  { isPacked, unpack }: TakenBody,
): Promise<Row[] | FeedRefusal | 'cut'> {
  // The sender may have gone while others had their turn.
  if (message.socket.destroyed) return 'cut'
  if (!isPacked) return format.read(request, now)
  const body = await unpack()
  return Buffer.isBuffer(body)
    ? format.read({ ...request, body }, now)
    : refusedBody(body, format.maxBytes)
}

function refusedBody({ fault, coding }: UntakenBody, maxBytes: number): FeedRefusal | 'cut' {
  switch (fault) {
    case 'too large':
      return bodyTooLarge(maxBytes)
    case 'memory':
      return queueFull
    case 'broken gzip':
      return brokenGzip
    case 'unknown coding':
      return unknownCoding(coding)
    case 'too slow':
      return requestTimeout
    case 'cut':
      return 'cut'
  }
}

/** Memory for an answer that its client does not read is counted until the client has read it. */
function releaseWhenGone(
  held: HeldMemory | undefined,
  { socket }: IncomingMessage,
  response: ServerResponse,
): void {
  function release(): void {
    response.off('close', release)
    socket.off('close', release)
    held?.[Symbol.dispose]()
  }
  if (held === undefined || response.closed || socket.destroyed) {
    release()
    return
  }
  response.once('close', release)
  // A response whose turn has not come does not learn that its connection has closed.
  socket.setMaxListeners(0).once('close', release)
}

function failureRefusal(feed: Feed, id: string, error: unknown): FeedRefusal {
  feed.log.failure(error, id)
  return error instanceof StoreUnavailable ? storeUnreachable : internal
}

function write(
  response: ServerResponse,
  reply: FeedReply,
  id: string,
  mustClose: boolean,
): Promise<boolean> | undefined {
  const length = String(Buffer.byteLength(reply.body))
  const headers = [...reply.headers, REQUEST_ID, id, 'Content-Length', length]
  if (mustClose) headers.push('Connection', 'close')
  response.writeHead(reply.status, headers)
  return sendWhole(response, reply.body)
}

function isRefusal(reply: FeedReply | FeedRefusal): reply is FeedRefusal {
  return 'errorCode' in reply
}

function isClosing(reply: FeedReply | FeedRefusal): boolean {
  return isRefusal(reply) && reply.close === true
}
