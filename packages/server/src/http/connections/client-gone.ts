import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Calls back when the client has gone. Returns a function that cancels this. Only the connection itself
 * always tells: Node tells neither a response whose turn has not come, nor one whose connection it has
 * handed over (`holdHandedOver`).
 */
export function whenGone({ req: { socket } }: ServerResponse, leave: () => void): () => void {
  // A client may have asked for many answers at once.
  socket.setMaxListeners(0).once('close', leave)
  if (socket.destroyed) leave()
  return () => void socket.off('close', leave)
}

const signals = new WeakMap<Socket, AbortSignal>()

/** Aborts when a connection closes, because nobody reads its answers any more. */
export function clientGone(connection: Socket): AbortSignal {
  const known = signals.get(connection)
  if (known !== undefined) return known
  const closing = new AbortController()
  if (connection.destroyed) closing.abort()
  else connection.once('close', () => closing.abort())
  signals.set(connection, closing.signal)
  return closing.signal
}
