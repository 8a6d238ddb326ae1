import type { ServerResponse } from 'node:http'

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
