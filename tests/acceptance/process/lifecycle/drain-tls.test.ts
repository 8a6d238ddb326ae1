import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { certificate, hasOpenssl } from '../../harness/certificate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'

const skip = hasOpenssl ? false : 'openssl is not installed'

/** The server closes an idle connection after 1 s. The rest allows for a busy machine. */
const ENDED_MS = 20_000
const CLIENTS = 20

/** The client's preface of HTTP/2 (RFC 9113, 3.4) and an empty SETTINGS frame. */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
])
const PING = 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n'

describe('SIGTERM over TLS', { skip }, async () => {
  if (!hasOpenssl) return
  const { args } = certificate()
  const deployment = await newDeployment()
  const sockets: Socket[] = []
  let server: ServerProcess | undefined
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await server?.kill()
  })

  /** Opens connections to a server of their own, sends SIGTERM, and expects the server to exit soon. */
  async function assertEnds(open: (port: number) => Promise<Socket>): Promise<void> {
    server = await serve(deployment, args)
    const { port } = server
    const opened = await Promise.all(Array.from({ length: CLIENTS }, () => open(port)))
    sockets.push(...opened)
    const startedAt = performance.now()
    const deadline = setTimeout(() => void server?.kill(), ENDED_MS)
    const code = await server.stop()
    clearTimeout(deadline)
    assert.equal(code, 0, `not ended after ${Math.round(performance.now() - startedAt)} ms`)
  }

  it('exits despite idle clients that offer HTTP/2', () =>
    assertEnds(async (port) => {
      const socket = await shakeHands(port, ['h2', 'http/1.1'])
      socket.write(socket.alpnProtocol === 'h2' ? PREFACE : PING)
      await once(socket, 'data')
      return silent(socket)
    }))

  it('exits despite idle clients of HTTP/1.1', () =>
    assertEnds(async (port) => {
      const socket = await shakeHands(port, ['http/1.1'])
      socket.write(PING)
      await once(socket, 'data')
      return silent(socket)
    }))

  it('exits despite clients that have sent nothing since the handshake', () =>
    assertEnds(async (port) => silent(await shakeHands(port, undefined))))

  it('exits despite clients in the middle of a handshake', () =>
    assertEnds(async (port) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      await once(socket, 'connect')
      // The head of a record that announces a ClientHello of 512 bytes, and its first four bytes.
      socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252]))
      return silent(socket)
    }))

  it('exits despite clients that reset their connection right after the handshake', () =>
    assertEnds(async (port) => {
      const plain = connect(port, '127.0.0.1').on('error', () => {})
      const socket = connectTls({ socket: plain, rejectUnauthorized: false }).on('error', () => {})
      await once(socket, 'secureConnect')
      plain.resetAndDestroy()
      return plain
    }))
})

async function shakeHands(port: number, ALPNProtocols: string[] | undefined): Promise<TLSSocket> {
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
  const socket = connectTls(ALPNProtocols === undefined ? options : { ...options, ALPNProtocols })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

/** Stops reading, and so does not notice that the server closes its side. */
function silent(socket: Socket): Socket {
  return socket.pause()
}
