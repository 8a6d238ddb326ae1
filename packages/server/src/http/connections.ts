import { Server as NetServer, type Server, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { BACKLOG } from './listening.ts'
import { cutWhereUnread, isUnread, MAX_UNREAD } from './unread.ts'

/** The connections of a server of HTTP/1.1, so that it can end without cutting off a request. */
export type Connections = {
  opened(socket: Socket): void
  /** TLS has been agreed on: from now on this socket stands for the one that was opened. */
  secured(socket: TLSSocket): void
  /**
   * A request of this connection is being answered. What is returned tells, once the head of the answer
   * is written, whether the connection is to end with it.
   */
  began(socket: Socket): () => boolean
  ended(socket: Socket): void
  /**
   * A connection that has not been used for long: no request is being answered on it, or its client reads
   * nothing of an answer. One without a request goes first.
   */
  findIdle(): Socket | undefined
  /** Takes no new connection, and ends when no request is in flight any more. */
  drain(server: Server & { close(): unknown }): Promise<void>
}

/**
 * While draining, a connection is ended when it has been quiet for a second: before, a request may be on
 * its way.
 */
const LOOK_EVERY_MS = 100
const QUIET_LOOKS = 10
/** After which a drain gives up on what is still in flight. */
const DRAIN_GRACE_MS = 30_000

/** `findIdle` compares so many connections, so that its time does not grow with their number. */
const MAX_LOOKS = 64
/**
 * A new connection counts as used when so many more requests have been answered: its first request may be on its
 * way, and `findIdle` must prefer those that had theirs.
 */
const HEAD_START = 64

type Use = {
  begun: number
  inFlight: number
  bytesRead: number
  quietLooks: number
  /** How many requests had been answered on all connections when this one was used last. */
  usedAt: number
}

/** Node's own link from the socket of TLS to the one below it. */
type Secured = TLSSocket & { _parent: Socket }

export function trackConnections(): Connections {
  const uses = new Map<Socket, Use>()
  let draining = false
  /** Requests, on all connections. */
  let answered = 0

  function endQuiet(): void {
    for (const [socket, use] of uses) {
      const isQuiet = use.inFlight === 0 && socket.bytesRead === use.bytesRead
      use.quietLooks = isQuiet ? use.quietLooks + 1 : 0
      use.bytesRead = socket.bytesRead
      if (use.quietLooks === QUIET_LOOKS) socket.destroySoon()
      // One whose peer has gone in the middle of what TLS has to say at the end never closes by itself.
      if (use.quietLooks > 2 * QUIET_LOOKS) socket.destroy()
    }
  }

  async function drain(server: Server & { close(): unknown }): Promise<void> {
    await takeWaiting(server)
    // Not `http.Server.close`: that also cuts idle connections, on which a request may be on its way.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve())
    })
    // Not before: who is told that a connection ends makes another, which would be reset with the port.
    draining = true
    // Looked at when the turn has read what has come in, not before.
    const looks = setInterval(() => setImmediate(endQuiet), LOOK_EVERY_MS)
    const grace = setTimeout(() => {
      for (const socket of uses.keys()) socket.destroy()
    }, DRAIN_GRACE_MS)
    await closed
    clearInterval(looks)
    clearTimeout(grace)
    // What `http.Server.close` would have ended as well: the timer that checks for time-outs.
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

  function findIdle(): Socket | undefined {
    let looks = Math.min(uses.size, MAX_LOOKS)
    const idle = leastUsed()
    const unread = leastUsed()
    for (const [socket, use] of uses) {
      if (looks-- === 0) break
      // The next search begins with those that this one has not seen.
      uses.delete(socket)
      uses.set(socket, use)
      if (socket.destroyed) continue
      if (use.inFlight === 0) idle.consider(socket, use)
      else if (isUnread(socket)) unread.consider(socket, use)
    }
    return idle.found() ?? unread.found()
  }

  return {
    opened,
    findIdle,
    secured(socket) {
      uses.delete((socket as Secured)._parent)
      opened(socket)
    },
    began(socket) {
      const use = uses.get(socket)
      if (use === undefined) return () => draining
      use.inFlight += 1
      use.begun += 1
      if (use.inFlight > MAX_UNREAD) cutWhereUnread(socket, use)
      const number = use.begun
      // A client may have sent several at once: those behind this one are answered before it ends.
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

/** Keeps the one of several connections whose last use is the longest ago. */
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
 * Takes the connections that the system has made already but this process has not taken yet, which it
 * does one a turn: to close at once would reset them, with what was sent on them.
 */
async function takeWaiting(server: Server): Promise<void> {
  let came = 0
  const count = () => void came++
  server.on('connection', count)
  // A first turn may have begun before the last of them came.
  for (let quiet = 0; quiet < 2 && came < BACKLOG; ) {
    const before = came
    await turn()
    quiet = came === before ? quiet + 1 : 0
  }
  server.off('connection', count)
}
