import { executionAsyncResource } from 'node:async_hooks'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import { listening, trackConnections } from './http-connections.ts'
import { holdHandedOver } from './socket-answer.ts'
import { cutFlood } from './unread-answers.ts'

/** PEM: a certificate chain and its private key. */
export type Tls = { cert: Buffer; key: Buffer }

/**
 * Answers a request. Resolves when the answer is written or the client has gone. Never rejects.
 * `endsConnection`: whether the answer whose head is being written must be the last of its connection.
 */
export type RequestHandler = (
  message: IncomingMessage,
  response: ServerResponse,
  endsConnection: () => boolean,
) => Promise<void>

export type Answers = {
  request: RequestHandler
  /** For a client that asks whether it may send its body. Without it, Node asks the client to continue. */
  checkContinue?: RequestHandler
  /** For a client with another expectation. Without it, Node refuses. */
  checkExpectation?: RequestHandler
  /** Answers input that never became a request. */
  refuse(error: NodeJS.ErrnoException, socket: Socket): void
}

/** A listener that accepts connections. */
export type HttpServer = {
  readonly address: AddressInfo
  /** Stops accepting connections. Resolves when no request is in flight. */
  drain(): Promise<void>
  /** Closes all connections at once. */
  cut(): Promise<void>
  /** Takes another certificate for new connections. Throws if TLS cannot use it, and keeps the previous one. */
  renewCertificate(tls: Tls): void
}

const SHARED_OPTIONS = {
  headersTimeout: 5_000,
  connectionsCheckingInterval: 250,
  // Load balancers usually close a connection after 60 s without a request. They must do so before the
  // server does.
  keepAliveTimeout: 65_000,
  // A slow reader holds this much of its answer. Node's default of 64 KiB is not faster.
  highWaterMark: 16 * 1024,
}

/** A client that takes no byte of an answer for this long is cut off. */
const IDLE_CONNECTION_MS = 120_000

/**
 * Listens with HTTP/1.1, over TLS if a certificate is given. Port 0 takes a free port. `options`: the
 * limits of this listener.
 */
export async function openHttpServer(
  options: ServerOptions,
  answers: Answers,
  host: string,
  port: number,
  limits: ConnectionLimits,
  tls?: Tls,
): Promise<HttpServer> {
  const connections = trackConnections()
  const server: Server =
    tls === undefined
      ? createServer({ ...SHARED_OPTIONS, ...options })
      : createTlsServer({ ...SHARED_OPTIONS, ...options, ...TLS_OPTIONS, ...tls })
  server.setTimeout(IDLE_CONNECTION_MS)
  server.on('connection', limitConnections(connections, limits))
  server.on('secureConnection', connections.secured)
  for (const event of ['connection', 'secureConnection']) server.on(event, keepAddress)

  function answerWith(answer: RequestHandler) {
    return (message: IncomingMessage, response: ServerResponse) => {
      const { socket } = message
      if (cutFlood(response)) return
      const endsConnection = connections.began(socket)
      void answer(message, response, endsConnection).then(() => connections.ended(socket))
    }
  }

  server.on('request', answerWith(answers.request))
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    const answer = answers[event]
    if (answer !== undefined) server.on(event, answerWith(answer))
  }
  server.on('clientError', answers.refuse)
  server.on('connect', (_message: IncomingMessage, socket: Socket) => {
    holdHandedOver(socket)
    answers.refuse(new Error('CONNECT'), socket)
  })

  return {
    address: await listening(server, port, host),
    drain: () => connections.drain(server),
    cut() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
    renewCertificate: (renewed) =>
      (server as TlsServer).setSecureContext({ ...TLS_OPTIONS, ...renewed }),
  }
}

/**
 * Reads the address, because Node keeps an address that was read. The log needs it after the socket has closed.
 */
function keepAddress(socket: Socket): void {
  void socket.remoteAddress
}

/** Settings of every TLS listener: 1.2 and 1.3, with forward secrecy and authenticated encryption. */
const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
    ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ].join(':'),
  honorCipherOrder: true,
  // A client that offers only HTTP/2 is refused in the handshake.
  ALPNProtocols: ['http/1.1'],
  // Before the end of the handshake, no time-out of HTTP runs.
  handshakeTimeout: 5_000,
} as const

const kept: object[] = []

/**
 * Keeps one of the objects that `process.nextTick` makes for each request. V8 drops the shape (hidden class) of
 * objects if a collection finds none, as in an idle server. Its optimized code does not know the new shape, and makes
 * each such object by a slow path from then on (`docs/design/requests.md`).
 */
export function keepTickShape(): void {
  process.nextTick(() => {
    if (kept.length === 0) kept.push(executionAsyncResource())
  })
}
