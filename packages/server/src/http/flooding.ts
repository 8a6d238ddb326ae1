import type { Socket } from 'node:net'

/** Requests that a connection may send at once, answers unseen; clients that pipeline send a few. */
const MOST_AT_ONCE = 100

type Burst = { bytesRead: number; requests: number }

const bursts = new WeakMap<Socket, Burst>()

/**
 * Whether one connection has sent too many requests at once; each call counts as one. All that are read
 * together (up to 64 KiB) are answered before any other connection has its turn.
 */
export function isFlooding(socket: Socket): boolean {
  const { bytesRead } = socket
  const burst = bursts.get(socket)
  if (burst === undefined) {
    bursts.set(socket, { bytesRead, requests: 1 })
    return false
  }
  burst.requests = burst.bytesRead === bytesRead ? burst.requests + 1 : 1
  burst.bytesRead = bytesRead
  return burst.requests > MOST_AT_ONCE
}
