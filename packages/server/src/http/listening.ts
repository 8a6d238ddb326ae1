import type { AddressInfo, Server } from 'node:net'

/**
 * Connections that the system keeps until they are taken, as far as it allows so many. Of Node's own 511
 * the rest of a burst would be put off for a second.
 */
export const BACKLOG = 4_096

/** Resolves with the address once a server listens; rejects where it cannot. A port of 0 takes a free one. */
export function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}
