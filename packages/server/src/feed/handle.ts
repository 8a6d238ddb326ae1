import type { IncomingMessage, ServerResponse } from 'node:http'
import { StoreUnavailable } from '../store/store.ts'
import type { Feed, FeedToken } from './feed.ts'
import { FeedFull } from './feed-full.ts'
import { bodyRefusal, discardBody, hasBody, NO_BODY, readBody } from './read-body.ts'
import {
  type FeedRefusal,
  internal,
  malformedRequest,
  queueFull,
  storeAway,
  unauthorized,
} from './refusal.ts'
import { outcomeReply, type Reply, refusalReply, tallyOf } from './reply.ts'
import { findRoute } from './route.ts'
import { presentedToken } from './token.ts'

/** How far a request has come. */
type Exchange = {
  format: string
  token: FeedToken | undefined
  /** Whether the sender waits to be told before it sends its body. */
  isWaiting: boolean
}

/**
 * One request, from its headers to its answer and its line in the log. Never rejects.
 * `expectsContinue`: it has asked whether it may send its body. `endsConnection`: whether an answer whose
 * head is written just then has to be its connection's last.
 */
export async function handle(
  feed: Feed,
  message: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  endsConnection: () => boolean,
): Promise<void> {
  const startedUs = feed.clock.monotonic()
  const exchange: Exchange = { format: 'none', token: undefined, isWaiting: expectsContinue }
  const reply = await findReply(feed, message, response, exchange)
  if (reply !== 'cut' && !response.destroyed) {
    // A sender that waited for leave may send its body or not: nobody knows what comes next.
    const mustClose = endsConnection() || exchange.isWaiting || isClosing(reply)
    write(response, isRefusal(reply) ? refusalReply(reply, feed.clock.now()) : reply, mustClose)
    if (hasBody(message) && !message.readableEnded) discardBody(message)
    feed.metrics.request(exchange.format, reply.status)
    if (!isRefusal(reply)) return
  }
  feed.log.failed({
    message,
    format: exchange.format,
    token: exchange.token,
    refusal: reply !== 'cut' && isRefusal(reply) ? reply : undefined,
    durationUs: feed.clock.monotonic() - startedUs,
  })
}

async function findReply(
  feed: Feed,
  message: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
): Promise<Reply | FeedRefusal | 'cut'> {
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
    if (token === undefined) return unauthorized
    exchange.token = token
    if (message.headers.host === undefined && message.httpVersion === '1.1') return malformedRequest
    let body: Buffer = NO_BODY
    if (hasBody(message)) {
      // While others' changes were read its sender may have gone, and nothing tells of that twice.
      if (message.destroyed) return 'cut'
      const refusal = bodyRefusal(message)
      if (refusal !== undefined) return refusal
      if (exchange.isWaiting) response.writeContinue()
      exchange.isWaiting = false
      using held = feed.holdBody(token.organization)
      const read = await readBody(message, held)
      if (!Buffer.isBuffer(read)) return read
      body = read
    }
    const rows = format.read({ query, headers: message.headers, body }, now)
    if ('status' in rows) return rows
    const outcomes = rows.length === 0 ? [] : await feed.ingest.take(token.organization, rows)
    const tally = tallyOf(outcomes)
    feed.metrics.rows(format.name, tally)
    return outcomeReply(format, rows, outcomes, tally)
  } catch (error) {
    return failureRefusal(feed, error)
  }
}

function failureRefusal(feed: Feed, error: unknown): FeedRefusal {
  if (error instanceof FeedFull) return queueFull
  feed.log.failure(error)
  return error instanceof StoreUnavailable ? storeAway : internal
}

function write(response: ServerResponse, reply: Reply, mustClose: boolean): void {
  const headers = [...reply.headers, 'Content-Length', String(Buffer.byteLength(reply.body))]
  if (mustClose) headers.push('Connection', 'close')
  response.writeHead(reply.status, headers)
  response.end(reply.body)
}

function isRefusal(reply: Reply | FeedRefusal): reply is FeedRefusal {
  return 'errorCode' in reply
}

function isClosing(reply: Reply | FeedRefusal): boolean {
  return isRefusal(reply) && reply.close === true
}
