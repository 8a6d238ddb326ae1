import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { listening, trackConnections } from './http-connections.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n'

/** A server whose answers the test triggers. */
async function open() {
  const connections = trackConnections()
  const waiting: (() => void)[] = []
  const server = createServer((message, response: ServerResponse) => {
    const endsConnection = connections.began(message.socket)
    waiting.push(() => {
      if (endsConnection()) response.setHeader('Connection', 'close')
      response.end('whole')
      connections.ended(message.socket)
    })
  })
  server.on('connection', connections.opened)
  after(() => server.closeAllConnections())
  const { port } = await listening(server, 0, '127.0.0.1')
  return {
    server,
    waiting,
    drain: () => connections.drain(server),
    connect: () => connect({ port, host: '127.0.0.1', noDelay: true }),
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate)
}

/** All received bytes until the other side closes the connection. */
async function received(socket: Socket): Promise<string> {
  return Buffer.concat(await socket.toArray()).toString()
}

const bodies = (text: string) => text.split('whole').length - 1

describe('Connections of a draining server', { concurrency: true }, () => {
  it('end after the last of their pipelined answers', async () => {
    const { server, waiting, drain, connect } = await open()
    const client = connect()
    client.write(REQUEST.repeat(3))
    await until(() => waiting.length === 3)
    const drained = drain()
    await until(() => !server.listening)
    for (const answer of waiting) answer()
    const text = await received(client)
    assert.equal(bodies(text), 3, text)
    assert.equal(text.indexOf('Connection: close'), text.lastIndexOf('Connection: close'))
    await drained
  })

  it('are accepted if they were made before, but not yet accepted', async () => {
    const { waiting, drain, connect } = await open()
    const clients = Array.from({ length: 20 }, connect)
    for (const client of clients) client.write(REQUEST)
    const drained = drain()
    await until(() => waiting.length === clients.length)
    for (const answer of waiting) answer()
    for (const client of clients) assert.equal(bodies(await received(client)), 1)
    await drained
  })

  it('end after one idle second, and not earlier', async () => {
    const { waiting, drain, connect } = await open()
    const [idle, busy] = [connect(), connect()]
    busy.write(REQUEST)
    await until(() => waiting.length === 1)
    const startedAt = performance.now()
    const drained = drain()
    await received(idle)
    const idleMs = performance.now() - startedAt
    assert.ok(idleMs > 900 && idleMs < 3_000, `idle for ${idleMs} ms`)
    waiting[0]!()
    assert.match(await received(busy), /whole/)
    await drained
  })

  it('are kept while a request arrives', async () => {
    const { waiting, drain, connect } = await open()
    const client = connect()
    await once(client, 'connect')
    const drained = drain()
    const answer = received(client)
    for (const letter of REQUEST.slice(0, 15)) {
      client.write(letter)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    client.write(REQUEST.slice(15))
    await until(() => waiting.length === 1)
    waiting[0]!()
    assert.equal(bodies(await answer), 1)
    await drained
  })
})
