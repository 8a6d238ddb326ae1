import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { openHttpServer } from '../http-server.ts'
import type { CloseReason } from './connection-limits.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
/** Exceeds the system's buffers for an unread answer. */
const LONG = Buffer.alloc(32_000_000)

/** A server with room for this many connections. A test answers the requests to `/held` itself. */
async function open(t: TestContext, inAll: number) {
  const reasons: CloseReason[] = []
  const held: ServerResponse[] = []
  const limits = {
    perAddress: 1,
    clientOf: () => null,
    inAll,
    closed: (_address: string, reason: CloseReason) => void reasons.push(reason),
  }
  const server = await openHttpServer(
    {},
    {
      async request({ url }, response) {
        if (url === '/held') held.push(response)
        else response.end(url === '/long' ? LONG : 'whole')
        await once(response, 'close')
      },
      refuse: (_error, socket) => socket.destroy(),
    },
    '127.0.0.1',
    0,
    limits,
  )
  t.after(server.cut)

  function client(): Socket {
    const socket = connect(server.address.port, '127.0.0.1')
    t.after(() => socket.destroy())
    return socket.setMaxListeners(0).on('error', () => {})
  }

  return { reasons, held, client }
}

/** The status of the answer, or the end of the connection. */
async function ask(socket: Socket, request = REQUEST): Promise<string> {
  socket.write(request)
  const answer = once(socket, 'data').then(([bytes]) => bytes.toString().slice(9, 12))
  return Promise.race([answer, once(socket, 'close').then(() => 'closed')])
}

describe('A listener without room', () => {
  it('closes idle connections to make room, and none in use', async (t) => {
    const { reasons, client } = await open(t, 3)
    const used = client()
    assert.equal(await ask(used), '200')
    for (let i = 0; i < 20; i++) {
      assert.equal(await ask(client()), '200')
      assert.equal(await ask(used), '200')
    }
    assert.deepEqual(reasons, Array(18).fill('idle'))
  })

  it('closes the new connection if all others await an answer', async (t) => {
    const { reasons, held, client } = await open(t, 2)
    const asking = [client(), client()].map((each) => ask(each, REQUEST.replace('/', '/held')))
    while (held.length < 2) await new Promise(setImmediate)
    assert.equal(await ask(client()), 'closed')
    assert.deepEqual(reasons, ['descriptors'])
    for (const response of held) response.end()
    assert.deepEqual(await Promise.all(asking), ['200', '200'])
    assert.equal(await ask(client()), '200')
  })

  it('closes one whose client does not read, if none is idle', async (t) => {
    const { reasons, held, client } = await open(t, 2)
    const asking = ask(client(), REQUEST.replace('/', '/held'))
    while (held.length < 1) await new Promise(setImmediate)
    const unread = client().pause()
    unread.write(REQUEST.replace('/', '/long'))
    await once(unread, 'readable')
    assert.equal(await ask(client()), '200')
    assert.deepEqual(reasons, ['idle'])
    held[0]!.end()
    assert.equal(await asking, '200')
  })

  it('has room again after connections have closed', async (t) => {
    const { reasons, client } = await open(t, 2)
    for (let i = 0; i < 10; i++) {
      const pair = [client(), client()]
      for (const each of pair) assert.equal(await ask(each), '200')
      for (const each of pair) each.end()
      await Promise.all(pair.map((each) => once(each, 'close')))
    }
    assert.deepEqual(reasons, [])
  })
})
