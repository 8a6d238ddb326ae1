import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { certificate, hasOpenssl } from '../../harness/certificate.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'
import { residentMiB } from '../../harness/watched-process.ts'

const onLinux = process.platform === 'linux' ? embeddedOnly : { skip: 'it reads /proc' }
const noOpenssl = { skip: hasOpenssl ? false : 'openssl is not installed' }
const CONNECTIONS = 200
/** The first answers grow the heap in any case. */
const WARM_UP = 50
/** A TLS connection takes 70 KiB before its first request, a plain one 20 KiB. */
const MAX_KIB_EACH = 64

/** The target of unread connections. `ca`: the certificate of a TLS listener. */
type UnreadTarget = { port: number; ca?: Buffer }

/** Sends bytes on a new connection, and resolves when the answer begins. */
async function leaveUnread({ port, ca }: UnreadTarget, bytes: string): Promise<Socket> {
  const to = { port, host: '127.0.0.1' }
  const socket = ca === undefined ? connect(to) : connectTls({ ...to, ca })
  // The server may close the connection at any time.
  socket.on('error', () => {})
  socket.write(bytes)
  await Promise.race([once(socket, 'readable'), once(socket, 'close')])
  return socket
}

/** Sends another request on such a connection: reads the pending answer, then stops reading. */
async function askUnread(socket: Socket, bytes: string): Promise<void> {
  socket.read()
  socket.write(bytes)
  await Promise.race([once(socket, 'readable'), once(socket, 'close')])
}

/** Opens `count` connections with unread answers, each with the same request. */
async function leaveAllUnread(
  target: UnreadTarget,
  bytes: string,
  count: number,
): Promise<Socket[]> {
  const AT_ONCE = 50
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const more = Math.min(AT_ONCE, count - sockets.length)
    const opened = Array.from({ length: more }, () => leaveUnread(target, bytes))
    sockets.push(...(await Promise.all(opened)))
  }
  return sockets
}

async function start(t: TestContext, args: string[]): Promise<ServerProcess> {
  const server = await serve(await newDeployment(), ['--geocoder', 'off', ...args])
  t.after(server.kill)
  return server
}

/** Asserts how much memory an unread answer adds to its connection. */
async function assertCheap(
  server: ServerProcess,
  target: UnreadTarget,
  bytes: string,
): Promise<void> {
  for (const socket of await leaveAllUnread(target, bytes, WARM_UP)) socket.destroy()
  const sockets = await leaveAllUnread(target, get('/health'), CONNECTIONS)
  const rest = residentMiB(server.pid)
  await Promise.all(sockets.map((socket) => askUnread(socket, bytes)))
  const each = ((residentMiB(server.pid) - rest) * 1024) / CONNECTIONS
  for (const socket of sockets) socket.destroy()
  assert.ok(each <= MAX_KIB_EACH, `${Math.round(each)} KiB`)
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** The script of the reference page is the largest file that needs no key. */
async function scriptPath(target: UnreadTarget): Promise<string> {
  const socket = await leaveUnread(target, get('/docs/try'))
  const [path] = /\/docs\/scalar-\w+\.js/.exec(String(socket.read()))!
  socket.destroy()
  return path
}

describe('An unread answer', { ...onLinux, timeout: 60_000 }, () => {
  it('costs at most 64 KiB of memory before a key is known', async (t) => {
    const server = await start(t, [])
    const target = { port: server.port }
    await assertCheap(server, target, get(await scriptPath(target)))
  })

  it('costs at most 64 KiB of memory over TLS', noOpenssl, async (t) => {
    const { ca, args } = certificate()
    const server = await start(t, args)
    const target = { port: server.port, ca }
    await assertCheap(server, target, get(await scriptPath(target)))
  })

  it('is aborted if many requests wait behind it', async (t) => {
    const server = await start(t, [])
    const target = { port: server.port }
    const requests = get(await scriptPath(target)).repeat(32)
    const sockets = await leaveAllUnread(target, requests, 10)
    const closed = sockets.map(
      (socket) => socket.destroyed || new Promise((resolve) => socket.once('close', resolve)),
    )
    // A client that does not read notices the closed connection when it writes.
    const writing = setInterval(() => {
      for (const socket of sockets) socket.write(get('/public/v1/ping'))
    }, 100)
    await Promise.all(closed)
    clearInterval(writing)
  })
})
