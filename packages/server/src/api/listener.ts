import { createServer, IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { trackConnections } from '../http/connections.ts'
import { cutFlood } from '../http/flooding.ts'
import { listening } from '../http/listening.ts'
import { holdHandedOver } from '../http/socket-answer.ts'
import { TLS_OPTIONS } from '../http/tls.ts'
import type { Api } from './api.ts'
import { handle } from './handle.ts'
import { STALLED_MS } from './pump.ts'
import { answerSocketError } from './socket-errors.ts'

/** PEM, a certificate chain and its private key. */
export type Tls = { cert: Buffer; key: Buffer }

export type Listener = {
  readonly address: AddressInfo
  /** Takes no new connection, and ends when no request is in flight any more. */
  drain(): Promise<void>
}

/** A thousand ids with escaped commas, and the headers around them, fit in. */
const MAX_HEADER_BYTES = 32 * 1024
const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 10_000
const CHECK_TIMEOUTS_EVERY_MS = 250
/** Longer than the idle time of the usual load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 65_000

const HTTP_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // Checked by hand: Node's own answer to a missing Host has no body.
  requireHostHeader: false,
  // What a slow client holds of an answer that is under way: Node's own 64 KiB buy no speed.
  highWaterMark: 16 * 1024,
}

const HTTP2_OPTIONS = {
  allowHTTP1: true,
  // Of as many as a client likes each answer would be held until it is read.
  settings: { maxConcurrentStreams: 100 },
}

/** Ends a session on which nothing moves; what is being read of it then has as long as any answer. */
function endIdle(session: ServerHttp2Session): void {
  session.setTimeout(KEEP_ALIVE_MS, () => {
    session.close()
    session.setTimeout(STALLED_MS, () => session.destroy())
  })
}

/**
 * The public listener: HTTP/1.1, or with a certificate HTTP/2 and HTTP/1.1 over TLS. A port of 0
 * takes a free one.
 */
export async function listen(
  api: Api,
  host: string,
  port: number,
  tls: Tls | undefined,
): Promise<Listener> {
  const sessions = new Set<ServerHttp2Session>()
  const connections = trackConnections(() => {
    for (const session of sessions) session.destroy()
  })

  function onRequest(
    message: IncomingMessage | Http2ServerRequest,
    response: ServerResponse,
  ): void {
    // Not by its version: over a connection of HTTP/1 a request may claim any.
    const socket = message instanceof IncomingMessage ? message.socket : undefined
    if (socket !== undefined && cutFlood(socket)) return
    const endsConnection = socket === undefined ? () => false : connections.began(socket)
    void handle(api, message, response, endsConnection).then(() => {
      if (socket !== undefined) connections.ended(socket)
    })
  }

  const server =
    tls === undefined
      ? createServer(HTTP_OPTIONS).on('connection', connections.opened)
      : createSecureServer({ ...HTTP_OPTIONS, ...HTTP2_OPTIONS, ...TLS_OPTIONS, ...tls })
          .on('secureConnection', (socket: TLSSocket) => {
            if (socket.alpnProtocol !== 'h2') connections.opened(socket)
          })
          .on('session', (session: ServerHttp2Session) => {
            sessions.add(session)
            endIdle(session)
            session.once('close', () => sessions.delete(session))
          })
          // Node would destroy a session that is idle for a while, with all that is read of it.
          .on('timeout', (connection: Socket | ServerHttp2Session) => {
            if (connection instanceof Socket) connection.destroy()
          })
  server.setTimeout(STALLED_MS)
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    answerSocketError(error, socket, api.clock)
  })
  server.on('connect', (message: IncomingMessage, handedOver: Socket | ServerResponse) => {
    // Of HTTP/2, where it is a stream like any other.
    if (!(handedOver instanceof Socket)) return onRequest(message, handedOver)
    holdHandedOver(handedOver)
    answerSocketError(new Error('CONNECT'), handedOver, api.clock)
  })

  const address = await listening(server, port, host)

  function drain(): Promise<void> {
    const drained = connections.drain(server)
    for (const session of sessions) session.close()
    return drained
  }

  return { address, drain }
}
