import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { selfSigned } from '../../../testing/certificate.ts'
import { listening } from './http-connections.ts'
import { MIN_BYTES_PER_MS, MIN_DEADLINE_MS, sendWhole } from './send-whole.ts'

const certificate = selfSigned()
/** Exceeds the system's buffers for an unread answer. */
const BODY = randomBytes(32_000_000)
const DEADLINE_MS = Math.ceil(BODY.length / MIN_BYTES_PER_MS)
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

type Opened = { connect(): Socket; sent: Promise<boolean>[] }

const plain = (answer: RequestListener) => createServer(answer)
const secured = (answer: RequestListener) => createTlsServer({ ...certificate }, answer)
const PROTOCOLS: Record<string, (answer: RequestListener) => Server> =
  certificate === undefined ? { HTTP: plain } : { HTTP: plain, TLS: secured }

/** A server that answers each request with this body, and the results of its answers. */
async function open(t: TestContext, protocol: string, body: string | Buffer): Promise<Opened> {
  const sent: Promise<boolean>[] = []
  const server = PROTOCOLS[protocol]!((_request, response) => {
    response.writeHead(200, { 'Content-Length': body.length })
    sent.push(sendWhole(response, body) ?? Promise.resolve(true))
  })
  const { port } = await listening(server, 0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const to = { port, host: '127.0.0.1' }
  return {
    sent,
    connect() {
      const socket =
        protocol === 'TLS' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
      return socket.on('error', () => {})
    },
  }
}

async function bodyOf(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of socket) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > BODY.length) break
  }
  const answer = Buffer.concat(chunks)
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4)
}

describe('A large body', () => {
  for (const protocol of Object.keys(PROTOCOLS)) {
    it(`arrives whole over ${protocol}`, async (t) => {
      const { connect, sent } = await open(t, protocol, BODY)
      const socket = connect()
      socket.write(REQUEST)
      assert.ok((await bodyOf(socket)).equals(BODY))
      assert.equal(await sent[0], true)
    })

    it(`is aborted over ${protocol} at its deadline, despite bytes from its client`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const { connect, sent } = await open(t, protocol, BODY)
      const socket = connect()
      socket.write(REQUEST)
      await once(socket, 'readable')
      t.mock.timers.tick(DEADLINE_MS - 1)
      socket.write(REQUEST)
      const state = Promise.race([sent[0], new Promise((resolve) => setImmediate(resolve))])
      assert.equal(await state, undefined)
      t.mock.timers.tick(1)
      assert.equal(await sent[0], false)
    })

    it(`reports over ${protocol} that its client has disconnected`, async (t) => {
      const { connect, sent } = await open(t, protocol, BODY)
      const socket = connect()
      socket.write(REQUEST.repeat(2))
      await once(socket, 'readable')
      socket.destroy()
      // The second answer is still waiting for its turn.
      while (sent.length < 2) await new Promise(setImmediate)
      assert.deepEqual(await Promise.all(sent), [false, false])
    })
  }

  it('has its time from its turn on', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { connect, sent } = await open(t, 'HTTP', BODY)
    const socket = connect()
    socket.write(REQUEST.repeat(2))
    await once(socket, 'readable')
    t.mock.timers.tick(DEADLINE_MS - 1)
    socket.resume()
    assert.equal(await sent[0], true)
    t.mock.timers.tick(DEADLINE_MS - 1)
    assert.equal(await sent[1], true)
  })
})

describe('A body', () => {
  it('has at least two minutes', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const small = BODY.subarray(0, 1_000_000)
    const { connect, sent } = await open(t, 'HTTP', small)
    const socket = connect()
    // The system buffers the first ones.
    socket.write(REQUEST.repeat(20))
    await once(socket, 'readable')
    while (sent.length < 20) await new Promise(setImmediate)
    t.mock.timers.tick(MIN_DEADLINE_MS)
    assert.equal(await sent.at(-1), false)
  })

  it('is written at once if it is small', async (t) => {
    const { connect, sent } = await open(t, 'HTTP', 'x'.repeat(16 * 1024))
    const socket = connect()
    socket.write(REQUEST)
    await once(socket, 'readable')
    assert.equal(await sent[0], true)
    socket.destroy()
  })
})
