import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, it, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { certificate, hasOpenssl } from '../../harness/certificate.ts'
import { request } from '../../harness/client.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { fleetgateJson } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { PREFIX } from '../../harness/organization.ts'
import { FEED_PREFIX } from '../../harness/sender.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'

/** An address of this machine that is not loopback: connections between it and itself stay on the machine. */
const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const skip = address === undefined ? 'this machine has no address but loopback' : false
const onLinux = process.platform === 'linux' ? embeddedOnly : { skip: 'it reads /proc' }

const portOf = (origin: string) => Number(new URL(origin).port)

/** A connection that has sent one request. */
type HeldConnection = {
  socket: Socket
  /** The status of the answer; 0 if the connection ended without one. */
  status: number
}

type HeldOptions = {
  /** The remote address, and the local address. */
  address?: string
  path?: string
}

/**
 * Sends a request and keeps the connection open until the test ends. Resolves with the answer, or when the
 * connection closes.
 */
function holdConnection(
  t: TestContext,
  port: number,
  { address = '127.0.0.1', path = `${PREFIX}/ping` }: HeldOptions = {},
): Promise<HeldConnection> {
  const socket = connect({ port, host: address, localAddress: address })
  t.after(() => socket.destroy())
  // A reset closes the connection too.
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
  return new Promise((resolve) => {
    socket.once('data', (bytes) => {
      resolve({ socket, status: Number(bytes.toString('latin1').split(' ')[1]) })
    })
    socket.once('close', () => resolve({ socket, status: 0 }))
  })
}

/** Opens connections to a port one after the other. Resolves with the status of each. */
async function statuses(
  t: TestContext,
  count: number,
  port: number,
  from?: string,
): Promise<number[]> {
  const held = []
  for (let i = 0; i < count; i++) {
    held.push(await holdConnection(t, port, from === undefined ? {} : { address: from }))
  }
  return held.map(({ status }) => status)
}

/** A server's count of connections that it closed, by listener and reason. */
async function closed(server: ServerProcess): Promise<Record<string, number>> {
  const { text } = await request(`http://127.0.0.1:${portOf(server.admin)}`, '/metrics')
  const counted = text.matchAll(
    /^fleetgate_connections_closed_total\{listener="(\w+)",reason="(\w+)"\} (\d+)$/gm,
  )
  return Object.fromEntries(
    Array.from(counted, ([, listener, reason, count]) => [`${listener} ${reason}`, Number(count)]),
  )
}

describe('Connections from one address', { skip }, () => {
  it('are limited on each listener, and loopback is exempt', async (t) => {
    const server = await serve(await newDeployment(), [
      ...['--geocoder', 'off', '--host', '0.0.0.0', '--admin-host', '0.0.0.0'],
      ...['--max-connections-per-address', '3'],
    ])
    t.after(server.stop)
    const full = [200, 200, 200, 0]
    assert.deepEqual(await statuses(t, 4, server.port, address), full)
    for (const other of [server.feed, server.admin]) {
      const held = await statuses(t, 4, portOf(other), address)
      assert.deepEqual(held.map(Boolean), [true, true, true, false])
    }
    assert.deepEqual(await statuses(t, 5, server.port), Array(5).fill(200))
    const counted = { 'public address': 1, 'feed address': 1, 'admin address': 1 }
    assert.deepEqual(await closed(server), counted)
  })

  it('are accepted again after others have closed', async (t) => {
    const server = await serve(await newDeployment(), [
      ...['--geocoder', 'off', '--host', '0.0.0.0', '--max-connections-per-address', '1'],
    ])
    t.after(server.stop)
    const open = () => holdConnection(t, server.port, { address: address! })
    const first = await open()
    assert.equal(first.status, 200)
    assert.equal((await open()).status, 0)
    first.socket.destroy()
    // The server notices the closed connection a moment later.
    while ((await open()).status !== 200);
    assert.equal((await open()).status, 0)
  })

  const noOpenssl = { skip: hasOpenssl ? false : 'openssl is not installed' }
  it('are limited before the TLS handshake, and counted until they close', noOpenssl, async (t) => {
    const { ca, args } = certificate()
    const server = await serve(await newDeployment(), [
      ...['--geocoder', 'off', '--host', '0.0.0.0', '--max-connections-per-address', '2', ...args],
    ])
    t.after(server.stop)
    const to = { port: server.port, host: address!, localAddress: address! }
    const [first, second] = [connect(to), connect(to)]
    await Promise.all([once(first, 'connect'), once(second, 'connect')])
    await once(connect(to).resume(), 'close')
    first.destroy()
    second.destroy()
    for (let i = 0; i < 6; i++) {
      const socket = connectTls({ ...to, ca, servername: 'localhost' }).on('error', () => {})
      const agreed = once(socket, 'secureConnect').then(() => true)
      const refused = once(socket, 'close').then(() => false)
      // The server notices the closed connections a moment later.
      if (!(await Promise.race([agreed, refused]))) i -= 1
      socket.destroy()
    }
  })

  it('are not limited if their proxy is trusted, or if the limit is 0', async (t) => {
    for (const args of [
      ['--max-connections-per-address', '2', '--trust-proxy', `${address}/32`],
      ['--max-connections-per-address', '0'],
    ]) {
      const server = await serve(await newDeployment(), [
        ...['--geocoder', 'off', '--host', '0.0.0.0', ...args],
      ])
      t.after(server.stop)
      assert.deepEqual(await statuses(t, 6, server.port, address), Array(6).fill(200))
    }
  })
})

describe('A server with few file descriptors', onLinux, () => {
  it('keeps the feed and readiness working with 64 while clients hold idle connections to the API', async (t) => {
    const deployment = await newDeployment()
    const { id } = await fleetgateJson([
      'org',
      'create',
      'A',
      '--create-objects',
      ...deployment.args,
    ])
    const issue = ['feed-token', 'issue', '--org', `${id}`, ...deployment.args]
    const { token } = await fleetgateJson(issue)
    const server = await serve(deployment, ['--geocoder', 'off'], {}, 64)
    t.after(server.stop)
    const held = await statuses(t, 60, server.port)
    assert.equal((await request(server.admin, '/ready')).status, 200)
    const row = { ident: 'van', time_device: '2026-11-21T09:00:00Z', latitude: 41, longitude: 2 }
    const sent = await request(server.feed, `${FEED_PREFIX}/positions`, {
      method: 'POST',
      body: JSON.stringify([row]),
      headers: { 'x-feed-token': token },
    })
    assert.equal(sent.status, 200)
    // Idle connections make room for new ones.
    assert.deepEqual(held, Array(60).fill(200))
    const counted = await closed(server)
    assert.ok(counted['public idle']! >= 30, JSON.stringify(counted))
    await server.stop()
    const lines = server.log.filter(({ reason }) => reason === 'idle')
    assert.ok(lines.length > 0)
    assert.match(lines[0].msg, /LimitNOFILE/)
  })

  it('refuses to start with too few, and reports how many it needs', async () => {
    const starting = serve(await newDeployment(), ['--geocoder', 'off'], {}, 48)
    await assert.rejects(
      starting,
      /limit of open files is 48, and this process requires at least \d+: raise it/,
    )
  })
})
