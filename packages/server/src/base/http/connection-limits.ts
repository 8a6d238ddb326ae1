import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { countShares } from '../domain/common/slots.ts'
import type { Connections } from './http-connections.ts'

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

/** A listener with fewer connections could not serve. */
const MIN_CONNECTIONS = 4

/** Deliveries to webhooks at once, at least and at most: each holds a message of up to 512 KiB in memory. */
const MIN_DELIVERIES = 2

const MAX_DELIVERIES = 128

/** A delivery uses one to ask a name server, and then one for its connection. */
const DESCRIPTORS_OF_DELIVERY = 2

/** The share of webhooks in the descriptors that are not reserved. */
const SHARE_OF_DELIVERIES = 1 / 8

/** `reserved`: descriptors for everything else. `delivers`: whether the process delivers to webhooks. */
export type DescriptorUsers = { listeners: number; delivers: boolean; reserved: number }

/** `ofListener`: connections that each listener may keep open. `deliveries`: those that may be under way at once. */
export type DescriptorShares = { ofListener: number; deliveries: number }

/**
 * Shares the file descriptors of the process, one for each connection, so that no user can take those of another.
 * Only Linux reports a limit. Elsewhere the listeners have none. Throws if there are too few.
 */
export function shareDescriptors({
  listeners,
  delivers,
  reserved,
}: DescriptorUsers): DescriptorShares {
  const limit = openFilesLimit()
  if (limit === Infinity) return { ofListener: Infinity, deliveries: MAX_DELIVERIES }
  const open = readdirSync('/proc/self/fd').length
  const shared = limit - open - reserved
  const deliveries = delivers ? deliveriesOf(shared) : 0
  const taken = deliveries * DESCRIPTORS_OF_DELIVERY
  const ofListener = Math.floor((shared - taken) / listeners)
  if (ofListener >= MIN_CONNECTIONS) return { ofListener, deliveries }
  const needed = open + reserved + taken + listeners * MIN_CONNECTIONS
  throw new Error(
    `the limit of open files is ${limit}, and this process requires at least ${needed}: raise it with 'ulimit -n', or with LimitNOFILE in a systemd unit`,
  )
}

function deliveriesOf(shared: number): number {
  const due = Math.floor((shared * SHARE_OF_DELIVERIES) / DESCRIPTORS_OF_DELIVERY)
  return Math.min(MAX_DELIVERIES, Math.max(MIN_DELIVERIES, due))
}

/** Node has already raised the limit to the highest allowed one. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}
