import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { CloseReason, DescriptorUsers } from './connection-limits.ts'
import { openHttpServer } from './http-server.ts'

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

const MODULE = new URL('./connection-limits.ts', import.meta.url).href

const SCRIPT = `
import { readdirSync } from 'node:fs'
import { shareDescriptors } from ${JSON.stringify(MODULE)}
const open = readdirSync('/proc/self/fd').length
const shares = shareDescriptors(JSON.parse(process.argv[1]))
process.stdout.write(JSON.stringify({ open, ...shares }))`

/** Shares the descriptors of a process that may open this many files. `free`: those that are not open or reserved. */
function sharesOf(limit: number, users: DescriptorUsers) {
  const run = ['-c', `ulimit -n ${limit} && exec "$@"`, 'sh', process.execPath]
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(users)]
  const { status, stdout, stderr } = spawnSync('sh', [...run, ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const { open, ofListener, deliveries } = JSON.parse(stdout)
  return { ofListener, deliveries, free: limit - open - users.reserved }
}

const both = { listeners: 2, reserved: 16, delivers: true }

const skip = process.platform !== 'linux' && 'the system does not report its limit'

describe('The file descriptors of a process', { skip }, () => {
  it('are enough for all connections of listeners and deliveries at once', () => {
    for (const limit of [80, 128, 256, 1_024, 4_096]) {
      const { ofListener, deliveries, free } = sharesOf(limit, both)
      const taken = 2 * ofListener + 2 * deliveries
      assert.ok(taken <= free && taken > free - 2, `${limit}: ${taken} of ${free}`)
      assert.ok(deliveries >= 2 && 2 * deliveries <= Math.max(4, free / 8), `${limit}`)
    }
  })

  it('let at most 128 deliveries be under way, as without a limit', () => {
    assert.equal(sharesOf(4_096, both).deliveries, 128)
  })

  it('are all for the listeners of a process that does not deliver', () => {
    const { ofListener, deliveries, free } = sharesOf(256, { ...both, delivers: false })
    assert.equal(deliveries, 0)
    assert.equal(ofListener, Math.floor(free / 2))
  })

  it('are too few for a server that could not serve, which says how many it needs', () => {
    const needed = /limit of open files is 48, and this process requires at least (\d+): raise it/
    const [, atLeast] = needed.exec(errorOf(() => sharesOf(48, both)))!
    assert.ok(sharesOf(Number(atLeast), both).ofListener >= 4)
    errorOf(() => sharesOf(Number(atLeast) - 1, both))
  })
})

function errorOf(work: () => void): string {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  assert.fail('there was no error')
}
