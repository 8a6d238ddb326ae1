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
