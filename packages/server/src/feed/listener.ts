import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Registry } from 'prom-client'
import type { Clock } from '../domain/clock.ts'
import { trackConnections } from '../http/connections.ts'
import { cutFlood } from '../http/flooding.ts'
import { listening } from '../http/listening.ts'
import { holdHandedOver } from '../http/socket-answer.ts'
import { TLS_OPTIONS } from '../http/tls.ts'
import type { Feed, FeedToken } from './feed.ts'
import { type Logger, openFeedLog } from './feed-log.ts'
import { openFeedMetrics } from './feed-metrics.ts'
import { handle } from './handle.ts'
import { holdBodies } from './held-bodies.ts'
import type { Ingest } from './outcome.ts'
import { expectationFailed } from './refusal.ts'
import { refusalReply } from './reply.ts'
import { answerSocketError } from './socket-errors.ts'

export type FeedParts = Pick<Feed, 'catchUp'> & {
  ingest: Ingest
  /** The record of a token that stands; `now`: milliseconds since the epoch. */
  findToken(token: string, now: number): FeedToken | undefined
  clock: Clock
  logger: Logger
  /** The address that a request came from, as the log names it. */
  addressOf(message: IncomingMessage): string
  registry: Registry
}

/** PEM, a certificate chain and its private key. */
export type Tls = { cert: Buffer; key: Buffer }

export type FeedListener = {
  readonly address: AddressInfo
  /** Takes no new connection, and ends when no request is in flight any more. */
  drain(): Promise<void>
}

const HTTP_OPTIONS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 250,
  // Longer than the idle time of the usual load balancers (60 s), so that they close first.
  keepAliveTimeout: 65_000,
  // Checked by hand: Node's own answer to a missing Host has no body.
  requireHostHeader: false,
}

/** A client that takes no byte of an answer for so long has gone. */
const STALLED_MS = 120_000

/**
 * The feed's listener: HTTP/1.1, over TLS with a certificate. A port of 0 takes a free one. What is
 * in flight is finished before `drain` ends; the ingest has to be closed after it.
 */
export async function listenFeed(
  parts: FeedParts,
  host: string,
  port: number,
  tls: Tls | undefined,
): Promise<FeedListener> {
  const { ingest, clock } = parts
  const feed: Feed = {
    ingest,
    catchUp: parts.catchUp,
    findToken: parts.findToken,
    holdBody: holdBodies(),
    clock,
    log: openFeedLog(parts.logger, parts.addressOf, clock),
    metrics: openFeedMetrics(parts.registry),
  }
  const connections = trackConnections()

  function answer(message: IncomingMessage, response: ServerResponse, waits: boolean): void {
    const { socket } = message
    if (cutFlood(socket)) return
    const endsConnection = connections.began(socket)
    void handle(feed, message, response, waits, endsConnection).then(() =>
      connections.ended(socket),
    )
  }

  const server =
    tls === undefined
      ? createServer(HTTP_OPTIONS)
      : createTlsServer({ ...HTTP_OPTIONS, ...TLS_OPTIONS, ...tls })
  server.on(tls === undefined ? 'connection' : 'secureConnection', connections.opened)
  server.setTimeout(STALLED_MS)
  server.on('request', (message, response) => answer(message, response, false))
  server.on('checkContinue', (message, response) => answer(message, response, true))
  server.on('checkExpectation', (_message, response) => {
    const { status, headers, body } = refusalReply(expectationFailed, clock.now())
    feed.metrics.request('none', status)
    response.writeHead(status, [...headers, 'Connection', 'close'])
    response.end(body)
  })
  const refuse = (error: NodeJS.ErrnoException, socket: Socket) =>
    answerSocketError(error, socket, clock, ({ status }) => feed.metrics.request('none', status))
  server.on('clientError', refuse)
  server.on('connect', (_message: IncomingMessage, socket: Socket) => {
    holdHandedOver(socket)
    refuse(new Error('CONNECT'), socket)
  })

  const address = await listening(server, port, host)

  return {
    address,
    drain: () => connections.drain(server),
  }
}
