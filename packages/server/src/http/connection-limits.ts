import type { Socket } from 'node:net'
import { countByClient } from './client-counts.ts'
import type { Connections } from './connections.ts'

/**
 * Why a connection was closed. `address`: its address has as many as it may have. `idle`: it made room for
 * a new one. `descriptors`: there was no room for it.
 */
export type CloseReason = 'address' | 'idle' | 'descriptors'

/** How many connections a listener keeps open. Infinity is no limit. */
export type ConnectionLimits = {
  perAddress: number
  /** Whose connections those of an address are counted with; null where `perAddress` does not apply. */
  clientOf(address: string): string | null
  inAll: number
  /** Hears of each connection that was closed; for the reason `address`, of its client. */
  closed(address: string, reason: CloseReason): void
}

/** Returns what must be called with each new connection: the socket below TLS, where there is TLS. */
export function limitConnections(
  connections: Connections,
  { perAddress, clientOf, inAll, closed }: ConnectionLimits,
): (socket: Socket) => void {
  const counts = countByClient(perAddress)
  let open = 0

  function close(socket: Socket, address: string, reason: CloseReason): void {
    socket.destroy()
    closed(address, reason)
  }

  /** Closes a connection that is idle, or returns false where none is found. */
  function closeIdle(): boolean {
    const idle = connections.findIdle()
    if (idle === undefined) return false
    close(idle, idle.remoteAddress ?? '', 'idle')
    return true
  }

  return (socket) => {
    const address = socket.remoteAddress ?? ''
    const client = clientOf(address)
    const left = client === null ? undefined : counts.open(client)
    if (left === null) return close(socket, client!, 'address')
    open += 1
    socket.once('close', () => {
      open -= 1
      left?.()
    })
    if (open > inAll && !closeIdle()) return close(socket, address, 'descriptors')
    connections.opened(socket)
  }
}
