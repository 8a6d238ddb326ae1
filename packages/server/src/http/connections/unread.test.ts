import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { openHttpServer } from '../http-server.ts'
import { LOOK_EVERY_MS, MAX_UNREAD } from './unread.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
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
