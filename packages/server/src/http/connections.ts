import { Server as NetServer, type Server, type Socket } from 'node:net'

/** The connections of a server of HTTP/1.1, so that it can end without cutting off a request. */
export type Connections = {
  opened(socket: Socket): void
  /** It is another protocol's from now on. */
  released(socket: Socket): void
  /** A request of this connection is being answered; and is answered. */
  began(socket: Socket): void
  ended(socket: Socket): void
  /** Takes no new connection, and ends when no request is in flight any more. */
  drain(server: Server & { close(): unknown }): Promise<void>
}

/** How long an idle connection is kept while draining, for a request that is on its way. */
const DRAIN_IDLE_MS = 1_000
/** After which a drain gives up on what is still in flight. */
const DRAIN_GRACE_MS = 30_000

/** `cutRest`: called when the grace of a drain is over, for what is not counted here. */
export function trackConnections(cutRest: () => void = () => undefined): Connections {
  /** How many requests of each are being answered. */
  const inFlight = new Map<Socket, number>()

  async function drain(server: Server & { close(): unknown }): Promise<void> {
    // Not `http.Server.close`: that also cuts idle connections, on which a request may be on its way.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve())
    })
    const idle = setInterval(() => {
      for (const [socket, requests] of inFlight) if (requests === 0) socket.destroySoon()
    }, DRAIN_IDLE_MS)
    const grace = setTimeout(() => {
      for (const socket of inFlight.keys()) socket.destroy()
      cutRest()
    }, DRAIN_GRACE_MS)
    await closed
    clearInterval(idle)
    clearTimeout(grace)
    // What `http.Server.close` would have ended as well: the timer that checks for time-outs.
    server.close()
  }

  return {
    opened(socket) {
      inFlight.set(socket, 0)
      socket.once('close', () => inFlight.delete(socket))
    },
    released: (socket) => void inFlight.delete(socket),
    began: (socket) => void inFlight.set(socket, (inFlight.get(socket) ?? 0) + 1),
    ended(socket) {
      const requests = inFlight.get(socket)
      if (requests !== undefined) inFlight.set(socket, requests - 1)
    },
    drain,
  }
}
