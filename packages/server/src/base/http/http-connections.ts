import { type AddressInfo, Server as NetServer, type Server, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { socketBelow } from './node-internals.ts'
import { cutWhereUnread, isUnread, MAX_UNREAD } from './unread-answers.ts'

/** The connections of an HTTP/1.1 server, so that it can end without cutting off a request. */
export type Connections = {
  opened(socket: Socket): void
  /** The TLS handshake is complete: this socket now replaces the one that was opened. */
  secured(socket: TLSSocket): void
  /**
   * A request on this connection is being answered. Call the result once the head of the answer is
   * written: it says whether the connection must end with this answer.
   */
  began(socket: Socket): () => boolean
  ended(socket: Socket): void
  /**
   * A connection that has not been used for long: without a request, or whose client does not read its answer. One
   * without a request is closed first.
   */
  findIdle(): Socket | undefined
  /** Accepts no new connection. Resolves when no request is in flight. */
  drain(server: Server & { close(): unknown }): Promise<void>
}

/** While draining, a connection ends after a quiet second. Before that a request may be on its way. */
const LOOK_EVERY_MS = 100

const QUIET_LOOKS = 10

/** After this time a drain gives up on requests in flight. */
const DRAIN_GRACE_MS = 30_000

/** `findIdle` compares this many connections, so that its time does not grow with their number. */
const MAX_LOOKS = 64

/**
 * A new connection counts as used until this many other requests have been answered: its first request
 * may be on its way, and `findIdle` must prefer connections that had theirs.
 */
const HEAD_START = 64

type Use = {
  begun: number
  inFlight: number
  bytesRead: number
  quietLooks: number
  /** The number of requests answered on all connections when this one was last used. */
  usedAt: number
}

export function trackConnections(): Connections {
  const uses = new Map<Socket, Use>()
  let draining = false
  /** Requests on all connections. */
  let answered = 0

  async function drain(server: Server & { close(): unknown }): Promise<void> {
    await takeWaiting(server)
    // Not `http.Server.close`, which also cuts idle connections on which a request may be on its way.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve())
    })
    // Wait: a client that sees its connection end opens another, which closing the port would reset.
    draining = true
    // Look after this turn has read all input.
    const looks = setInterval(() => setImmediate(endQuiet, uses), LOOK_EVERY_MS)
    const grace = setTimeout(() => {
      for (const socket of uses.keys()) socket.destroy()
    }, DRAIN_GRACE_MS)
    await closed
    clearInterval(looks)
    clearTimeout(grace)
    // Also stop the timer for time-outs, as `http.Server.close` does.
    server.close()
  }

  function opened(socket: Socket): void {
    uses.set(socket, {
      begun: 0,
      inFlight: 0,
      bytesRead: 0,
      quietLooks: 0,
      usedAt: answered + HEAD_START,
    })
    socket.once('close', () => uses.delete(socket))
  }

  return {
    opened,
    findIdle: () => findIdle(uses),
    secured(socket) {
      uses.delete(socketBelow(socket))
      opened(socket)
    },
    began(socket) {
      const use = uses.get(socket)
      if (use === undefined) return () => draining
      use.inFlight += 1
      use.begun += 1
      if (use.inFlight > MAX_UNREAD) cutWhereUnread(socket, use)
      const number = use.begun
      // A client may have sent several requests at once. The later ones are answered before the
      // connection ends.
      return () => draining && number === use.begun
    },
    ended(socket) {
      const use = uses.get(socket)
      if (use === undefined) return
      use.inFlight -= 1
      answered += 1
      use.usedAt = answered
    },
    drain,
  }
}

function endQuiet(uses: ReadonlyMap<Socket, Use>): void {
  for (const [socket, use] of uses) {
    const isQuiet = use.inFlight === 0 && socket.bytesRead === use.bytesRead
    use.quietLooks = isQuiet ? use.quietLooks + 1 : 0
    use.bytesRead = socket.bytesRead
    if (use.quietLooks === QUIET_LOOKS) socket.destroySoon()
    // Otherwise a connection whose peer disappears during the TLS shutdown would never be closed.
    if (use.quietLooks > 2 * QUIET_LOOKS) socket.destroy()
  }
}

function findIdle(uses: Map<Socket, Use>): Socket | undefined {
  let looks = Math.min(uses.size, MAX_LOOKS)
  const idle = leastUsed()
  const unread = leastUsed()
  for (const [socket, use] of uses) {
    if (looks-- === 0) break
    // The next search begins with the connections that this one has not seen.
    uses.delete(socket)
    uses.set(socket, use)
    if (socket.destroyed) continue
    if (use.inFlight === 0) idle.consider(socket, use)
    else if (isUnread(socket)) unread.consider(socket, use)
  }
  return idle.found() ?? unread.found()
}

/** Keeps the connection whose last use is the longest ago. */
function leastUsed() {
  let found: Socket | undefined
  let foundAt = Infinity
  return {
    consider(socket: Socket, { usedAt }: Use): void {
      if (usedAt >= foundAt) return
      found = socket
      foundAt = usedAt
    },
    found: () => found,
  }
}

/**
 * Accepts the connections that wait in the system's queue, one in each turn. Closing at once would reset
 * them, with the requests sent on them.
 */
async function takeWaiting(server: Server): Promise<void> {
  let came = 0
  const count = () => void came++
  server.on('connection', count)
  // The first turn may have begun before the last of them came.
  for (let quiet = 0; quiet < 2 && came < BACKLOG; ) {
    const before = came
    await turn()
    quiet = came === before ? quiet + 1 : 0
  }
  server.off('connection', count)
}

/**
 * Connections that the system queues until they are accepted, within its own limit. With Node's default of 511 the
 * rest of a burst would be delayed by a second.
 */
const BACKLOG = 4_096

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
