import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { PREFIX } from './organization.ts'

/** A connection that has sent one request. */
export type HeldConnection = {
  socket: Socket
  /** The status of the answer; 0 if the connection ended without one. */
  status: number
}

export type HeldOptions = {
  /** The remote address, and the local address. */
  address?: string
  path?: string
}

/**
 * Sends a request and keeps the connection open until the test ends. Resolves with the answer, or when the
 * connection closes.
 */
export function holdConnection(
  t: Pick<TestContext, 'after'>,
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
