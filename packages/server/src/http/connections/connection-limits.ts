import type { Socket } from 'node:net'
import { countShares } from '../../domain/common/slots.ts'
import type { Connections } from './connections.ts'

/**
 * Why a connection was closed. `address`: its address has as many as allowed. `idle`: it made room for a
 * new one. `descriptors`: there was no room for it.
 */
export type CloseReason = 'address' | 'idle' | 'descriptors'

/** The number of connections that a listener keeps open. Infinity: no limit. */
export type ConnectionLimits = {
  perAddress: number
  /** The client to which an address belongs. Null if `perAddress` does not apply to it. */
  clientOf(address: string): string | null
  inAll: number
  /** Called for each closed connection; for the reason `address`, with its client. */
  closed(address: string, reason: CloseReason): void
}

/** Returns a function to call with each new connection: the socket below TLS, if there is TLS. */
export function limitConnections(
  connections: Connections,
  { perAddress, clientOf, inAll, closed }: ConnectionLimits,
): (socket: Socket) => void {
  const clients = countShares<string>()
  let open = 0

  function close(socket: Socket, address: string, reason: CloseReason): void {
    socket.destroy()
    closed(address, reason)
  }

  /** Closes an idle connection. Returns false if there is none. */
  function closeIdle(): boolean {
    const idle = connections.findIdle()
    if (idle === undefined) return false
    close(idle, idle.remoteAddress ?? '', 'idle')
    return true
  }

  return (socket) => {
    const address = socket.remoteAddress ?? ''
    const client = clientOf(address)
    if (client !== null && clients.of(client) >= perAddress) {
      return close(socket, client, 'address')
    }
    const count = (change: 1 | -1) => {
      open += change
      if (client !== null) clients.add(client, change)
    }
    count(1)
    socket.once('close', () => count(-1))
    if (open > inAll && !closeIdle()) return close(socket, address, 'descriptors')
    connections.opened(socket)
  }
}
