import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, describe, it, type TestContext } from 'node:test'
import { listening } from './http-connections.ts'
import { openHttpServer } from './http-server.ts'
import { cutFlood, LOOK_EVERY_MS, MAX_UNREAD } from './unread-answers.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A server that handles requests so, and a client of it. */
async function connectedTo(handle: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => handle(response))
  const { port } = await listening(server, 0, '127.0.0.1')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, socket: connect(port, '127.0.0.1').on('error', () => {}) }
}

/** The answers to a client that sends this many requests at once, and as many again after the answers. */
async function answersTo(requests: number): Promise<number[]> {
  const { socket } = await connectedTo((response) => {
    if (!cutFlood(response)) response.end()
  })
  const rounds: number[] = []
  socket.on('close', () => rounds.push(0))
  while (rounds.length < 2) {
    socket.write(REQUEST.repeat(requests))
    let text = ''
    while (!socket.destroyed && text.split('HTTP/1.1 200 ').length <= requests) {
      const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
      text += chunk
    }
    if (socket.destroyed) break
    rounds.push(requests)
  }
  socket.destroy()
  return rounds
}

describe('Pipelined requests of a connection', { timeout: 10_000 }, () => {
  it('are answered up to 32, repeatedly', async () => {
    assert.deepEqual(await answersTo(32), [32, 32])
  })

  it('close it beyond that number', async () => {
    assert.deepEqual(await answersTo(33), [0])
  })

  it('are ignored after it has closed', async () => {
    let seen = 0
    const { socket } = await connectedTo((response) => {
      seen += 1
      cutFlood(response)
    })
    socket.write(REQUEST.repeat(1_000))
    await once(socket, 'close')
    assert.equal(seen, 33)
  })
})

describe('Requests that wait behind an answer', { timeout: 10_000 }, () => {
  /**
   * The number of a client's single requests that are accepted before the connection closes; the first is not
   * answered.
   */
  async function takenOf(request: string, sent: number): Promise<number> {
    let taken = 0
    const { server, socket } = await connectedTo((response) => {
      if (cutFlood(response)) return
      taken += 1
      if (taken > 1) response.end()
    })
    for (let each = 0; each < sent; each += 1) {
      socket.write(request)
      await once(server, 'request')
      if (taken <= each) break
    }
    socket.destroy()
    return taken
  }

  it('are limited like pipelined ones', async () => {
    assert.equal(await takenOf(REQUEST, 40), 1 + 32)
  })

  it('have heads of 64 KiB in total', async () => {
    const large = `GET / HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(15_000)}\r\n\r\n`
    assert.equal(await takenOf(large, 10), 1 + 4)
  })
})

/** Exceeds the system's buffers for an unread answer. */
const BODY = Buffer.alloc(32_000_000)

const ALL = BODY.length * MAX_UNREAD

/** A client that has pipelined this many requests, and has read the start of the first answer. */
async function clientOf(t: TestContext, requests: number): Promise<Socket> {
  const server = await openHttpServer(
    {},
    {
      async request(_message, response) {
        response.end(BODY)
        await Promise.race([once(response, 'close'), once(response.req.socket, 'close')])
      },
      refuse: (_error, socket) => socket.destroy(),
    },
    '127.0.0.1',
    0,
    { perAddress: 1, clientOf: () => null, inAll: 10, closed() {} },
  )
  t.after(server.cut)
  const socket = connect(server.address.port, '127.0.0.1').on('error', () => {})
  t.after(() => socket.destroy())
  socket.write(REQUEST.repeat(requests))
  await once(socket, 'readable')
  return socket
}

/** Reads this many bytes, or fewer if the connection ends. Returns their number. */
async function read(socket: Socket, bytes: number): Promise<number> {
  let got = 0
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    got += chunk.length
    if (got >= bytes) break
  }
  return got
}

describe('A client that does not read its answers', () => {
  it('is disconnected if many of its requests wait', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const socket = await clientOf(t, MAX_UNREAD + 1)
    t.mock.timers.tick(LOOK_EVERY_MS)
    assert.ok((await read(socket, ALL)) < ALL)
  })

  it('is not disconnected if few wait', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const socket = await clientOf(t, MAX_UNREAD)
    t.mock.timers.tick(10 * LOOK_EVERY_MS)
    assert.ok((await read(socket, ALL)) >= ALL)
  })

  it('is not disconnected if it reads between two checks', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const socket = await clientOf(t, MAX_UNREAD + 1)
    for (let look = 0; look < 3; look++) {
      assert.ok((await read(socket, ALL / 4)) >= ALL / 4)
      t.mock.timers.tick(LOOK_EVERY_MS)
    }
  })
})
