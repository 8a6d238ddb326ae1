import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A proxy before a server of a test, which loses connections when it is asked to. */
export type CuttingProxy = {
  /** The same URL, by way of the proxy. */
  through(url: string): string
  /** Cuts the connection that has brought so many bytes, and the next ones of a number as soon as they are made. */
  cutAfter(bytes: number, next: number): void
  /** How many connections were cut. */
  cuts(): number
}

export async function cuttingProxy(t: TestContext, target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let refused = 0
  let cuts = 0

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const each of [client, upstream]) {
      sockets.add(each)
      each.once('error', end).once('close', end)
    }
    if (left === 0 && refused > 0) {
      refused -= 1
      cuts += 1
      end()
      return
    }
    client.pipe(upstream)
    upstream.on('data', (bytes: Buffer) => {
      if (left > 0) {
        left = Math.max(0, left - bytes.length)
        if (left === 0) {
          cuts += 1
          end()
          return
        }
      }
      client.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const each of sockets) each.destroy()
    server.close()
  })
  const own = (server.address() as AddressInfo).port
  return {
    through(url) {
      const made = new URL(url)
      made.port = `${own}`
      return made.href
    },
    cutAfter(bytes, next) {
      left = bytes
      refused = next
    },
    cuts: () => cuts,
  }
}
