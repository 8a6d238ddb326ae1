import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Api } from './api.ts'
import { handle } from './handle.ts'
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
const CHECK_TIMEOUTS_EVERY_MS = 500
/** Longer than the idle time of the usual load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 65_000
/** A client that takes no byte of an answer for so long has gone. */
const STALLED_MS = 120_000
/** How long an idle connection is kept while draining, for a request that is on its way. */
const DRAIN_IDLE_MS = 1_000
/** After which a drain gives up on what is still in flight. */
const DRAIN_GRACE_MS = 30_000

const HTTP_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // Checked by hand: Node's own answer to a missing Host has no body.
  requireHostHeader: false,
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
  /** Connections of HTTP/1.1, with how many requests of each are being answered. */
  const connections = new Map<Socket, number>()
  const sessions = new Set<ServerHttp2Session>()
  let draining = false

  function onRequest(
    message: IncomingMessage | Http2ServerRequest,
    response: ServerResponse,
  ): void {
    const socket = message.httpVersionMajor === 1 ? message.socket : undefined
    if (socket !== undefined) connections.set(socket, (connections.get(socket) ?? 0) + 1)
    void handle(api, message, response, () => draining).then(() => {
      if (socket === undefined) return
      const inFlight = connections.get(socket)
      if (inFlight !== undefined) connections.set(socket, inFlight - 1)
    })
  }

  function onConnection(socket: Socket): void {
    connections.set(socket, 0)
    socket.once('close', () => connections.delete(socket))
  }

  const server =
    tls === undefined
      ? createServer(HTTP_OPTIONS).on('connection', onConnection)
      : createSecureServer({ ...HTTP_OPTIONS, ...tls, allowHTTP1: true })
          .on('secureConnection', onConnection)
          .on('session', (session: ServerHttp2Session) => {
            sessions.add(session)
            connections.delete(session.socket as Socket)
            session.setTimeout(KEEP_ALIVE_MS, () => session.close())
            session.once('close', () => sessions.delete(session))
          })
  server.setTimeout(STALLED_MS)
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    answerSocketError(error, socket, api.clock)
  })
  server.on('connect', (_message: IncomingMessage, socket: Socket) => {
    answerSocketError(new Error('CONNECT'), socket, api.clock)
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

  async function drain(): Promise<void> {
    draining = true
    // Not `http.Server.close`: that also cuts idle connections, on which a request may be on its way.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve())
    })
    for (const session of sessions) session.close()
    const idle = setInterval(() => {
      for (const [socket, inFlight] of connections) if (inFlight === 0) socket.destroySoon()
    }, DRAIN_IDLE_MS)
    const grace = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy()
      for (const session of sessions) session.destroy()
    }, DRAIN_GRACE_MS)
    await closed
    clearInterval(idle)
    clearTimeout(grace)
    // What `http.Server.close` would have ended as well: the timer that checks for time-outs.
    server.close(() => undefined)
  }

  return { address: server.address() as AddressInfo, drain }
}
