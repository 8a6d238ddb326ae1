import type { AddressInfo, Server } from 'node:net'

/**
 * Connections that the system queues until they are accepted, as far as it allows. With Node's default of
 * 511 the rest of a burst would be delayed by a second.
 */
export const BACKLOG = 4_096

/** Resolves with the address once a server listens. Rejects if it cannot. Port 0 takes a free port. */
export function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}
