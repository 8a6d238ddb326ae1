import type { Socket } from 'node:net'

/** Node's own count of bytes that the system has not taken yet. */
type Queued = Socket & { _handle?: { writeQueueSize?: number } | null }

function queuedBytes(socket: Socket): number {
  return (socket as Queued)._handle?.writeQueueSize ?? 0
}

/**
 * Whether the system takes no more bytes for a client at the moment, because the client does not read.
 */
export function isUnread(socket: Socket): boolean {
  return queuedBytes(socket) > 0
}

/** Requests of a connection that may wait while its client does not read. Each holds 5 to 20 KiB. */
export const MAX_UNREAD = 4
export const LOOK_EVERY_MS = 1_000

const watched = new WeakSet<Socket>()

/**
 * Cuts a connection if more than `MAX_UNREAD` requests wait on it, and its client takes nothing of the
 * answers between two looks. Call it when that many wait. `use`: the number of waiting requests.
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

/** The bytes that the system has taken for the client. */
export function takenBytes(socket: Socket): number {
  return socket.bytesWritten - queuedBytes(socket)
}
