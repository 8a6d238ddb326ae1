import type { AddressInfo, Server } from 'node:net'

/** Resolves with the address once a server listens; rejects where it cannot. A port of 0 takes a free one. */
export function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}
