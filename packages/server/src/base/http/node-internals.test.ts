import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { selfSigned } from '../../../testing/certificate.ts'
import { pendingAnswer, queuedBytes, socketBelow, stopParsing } from './node-internals.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** The message of a failure names the internal, and says what breaks without it. */
function lacks(internal: string, use: string): string {
  return `Node.js ${process.version} lacks ${internal}: ${use}`
}

/** A server that has begun to read this many requests of a client, which were sent at once. */
async function requested(
  t: TestContext,
  requests: number,
  taken: (message: IncomingMessage) => void,
) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => {
    client.destroy()
    server.close()
  })
  client.on('error', () => {})
  client.write(REQUEST.repeat(requests))
  server.on('request', taken)
  const [message, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  return { client, socket: message.socket, response }
}

test('socket._httpMessage is the answer that a socket carries', async (t) => {
  const { socket, response } = await requested(t, 1, () => {})
  const use = 'a refusal of broken input would overtake earlier answers (socket-answer.ts)'
  assert.equal(pendingAnswer(socket), response, lacks('socket._httpMessage', use))
})

test('socket._handle.writeQueueSize counts what a client does not take', async (t) => {
  const { client, socket, response } = await requested(t, 1, () => {})
  client.pause()
  assert.equal(queuedBytes(socket), 0)
  response.write(Buffer.alloc(64 * 1024 * 1024))
  // Node hands the bytes over after this turn.
  await turn()
  const use = 'clients that do not read would not be found (unread-answers.ts)'
  assert.ok(queuedBytes(socket) > 0, lacks('socket._handle.writeQueueSize', use))
})

test('socket.parser.onIncoming takes each message, and stops after an upgrade', async (t) => {
  let seen = 0
  const { client } = await requested(t, 100, ({ socket }) => {
    seen += 1
    socket.destroy()
    stopParsing(socket)
  })
  if (!client.closed) await once(client, 'close')
  const use = 'a flood of requests would be parsed to its end (unread-answers.ts)'
  assert.equal(seen, 1, lacks('socket.parser.onIncoming', use))
})

const certificate = selfSigned()
const NO_OPENSSL = certificate === undefined && 'OpenSSL is not installed'

test('socket._parent is the socket below a TLS socket', { skip: NO_OPENSSL }, async (t) => {
  const server = createTlsServer(certificate!).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const opened: Socket[] = []
  server.on('connection', (socket: Socket) => opened.push(socket))
  const { port } = server.address() as AddressInfo
  const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  t.after(() => {
    client.destroy()
    server.close()
  })
  const [secured] = (await once(server, 'secureConnection')) as [TLSSocket]
  const use = 'a TLS connection would be counted twice (http-connections.ts)'
  assert.equal(socketBelow(secured), opened[0], lacks('tlsSocket._parent', use))
})
