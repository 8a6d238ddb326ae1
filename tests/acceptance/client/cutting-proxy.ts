import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** A network between a client and a server, which breaks when a test wants it to. */
export type CuttingProxy = {
  url: string
  /** Resolves when this many more bytes of answers have passed. */
  passed(bytes: number): Promise<void>
  /** Breaks all connections. New ones are possible at once. */
  cut(): void
}

/** `server`: the address of the server at the moment of a connection. */
export async function cuttingProxy(server: () => string): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  const waiting: { left: number; resolve: () => void }[] = []

  function keep(socket: Socket): Socket {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  const proxy = createServer((client) => {
    const { hostname, port } = new URL(server())
    const upstream = keep(connect(Number(port), hostname))
    keep(client).pipe(upstream)
    upstream.pipe(client)
    upstream.on('data', ({ length }) => {
      for (const each of [...waiting]) {
        each.left -= length
        if (each.left > 0) continue
        waiting.splice(waiting.indexOf(each), 1)
        each.resolve()
      }
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.once('close', () => other.destroy())
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  after(() => {
    proxy.close()
    cut()
  })
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    passed: (bytes) => new Promise((resolve) => waiting.push({ left: bytes, resolve })),
    cut,
  }
}
