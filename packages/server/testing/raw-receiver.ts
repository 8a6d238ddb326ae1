import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'

/** A receiver that writes bytes of its own choice, or none. */
export type RawReceiver = {
  readonly url: string
  /** The bytes that it has written, whether they were read or not. */
  written(): number
  /** Resolves when no connection is open any more. It reads on, to notice the end of its connections. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Writes to a connection as soon as the first bytes of a request have come. */
export type Writes = (socket: TLSSocket) => void

/** `readsOn`: whether it reads more of the request than the first bytes. */
export async function openRawReceiver(
  tls: { cert: Buffer; key: Buffer },
  writes: Writes,
  readsOn = true,
): Promise<RawReceiver> {
  const sockets = new Set<TLSSocket>()
  let written = 0
  const server = createServer(tls, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      written += socket.bytesWritten
      server.emit('left')
    })
    socket.once('data', () => {
      if (!readsOn) socket.pause()
      writes(socket)
    })
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}/hook`,
    written: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, written),
    async idle() {
      for (const socket of sockets) socket.resume()
      while (sockets.size > 0) await once(server, 'left')
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Writes the same bytes again and again, as fast as they are taken. */
export function endlessly(bytes: Buffer): Writes {
  return (socket) => {
    const more = () => {
      while (socket.writable && socket.write(bytes));
    }
    socket.on('drain', more)
    more()
  }
}
