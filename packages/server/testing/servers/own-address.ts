import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

/** An address at which other machines can reach this one. Undefined if it has none. */
export const OWN_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

/** Relays connections to `address` to a server on loopback, whose URL it rewrites. */
export async function reachedAt(address: string, serverUrl: string) {
  const { hostname, port } = new URL(serverUrl)
  const server = createServer((socket) => {
    const passed = connect(Number(port), hostname)
    // When one side ends, end the other.
    socket.on('error', () => {}).on('close', () => passed.destroy())
    passed.on('error', () => {}).on('close', () => socket.destroy())
    socket.pipe(passed).pipe(socket)
  })
  await once(server.listen(0, address), 'listening')
  const url = new URL(serverUrl)
  url.hostname = address
  url.port = `${(server.address() as AddressInfo).port}`
  return { url: url.href, stop: () => server.close() }
}
