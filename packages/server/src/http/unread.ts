import type { Socket } from 'node:net'

/** Node's own count of the bytes that it has for the system and the system has not taken. */
type Queued = Socket & { _handle?: { writeQueueSize?: number } | null }

function queuedBytes(socket: Socket): number {
  return (socket as Queued)._handle?.writeQueueSize ?? 0
}

/** Whether the system takes nothing more for a client just now, because the client has not read. */
export function isUnread(socket: Socket): boolean {
  return queuedBytes(socket) > 0
}

/** Requests of a connection that may wait while its client reads nothing. Each holds 5 to 20 KiB. */
export const MAX_UNREAD = 4
export const LOOK_EVERY_MS = 1_000

const watched = new WeakSet<Socket>()

/**
 * Cuts a connection once more requests wait on it than `MAX_UNREAD`, and its client takes nothing of the answers
 * from one look to the next. To be called where that many have come. `use`: how many requests wait now.
 */
export function cutWhereUnread(socket: Socket, use: { readonly inFlight: number }): void {
  if (watched.has(socket)) return
  watched.add(socket)
  let before = takenBytes(socket)
  const looks = setInterval(() => {
    const taken = takenBytes(socket)
    if (isUnread(socket) && taken === before) socket.destroy()
    before = taken
    if (!socket.destroyed && use.inFlight > MAX_UNREAD) return
    clearInterval(looks)
    watched.delete(socket)
  }, LOOK_EVERY_MS).unref()
}

/** What the system has taken for the client. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - queuedBytes(socket)
}
