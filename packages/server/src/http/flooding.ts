import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that a connection may send at once, answers unseen; clients that pipeline send a few. */
const MOST_AT_ONCE = 32

type Burst = { bytesRead: number; requests: number }

const bursts = new WeakMap<Socket, Burst>()

/**
 * Counts a request, and cuts its connection where that has sent too many at once: then true. All that are
 * read together (up to 64 KiB) are answered before any other connection has its turn.
 */
export function cutFlood(socket: Socket): boolean {
  const { bytesRead } = socket
  const burst = bursts.get(socket)
  if (burst === undefined) {
    bursts.set(socket, { bytesRead, requests: 1 })
    return false
  }
  burst.requests = burst.bytesRead === bytesRead ? burst.requests + 1 : 1
  burst.bytesRead = bytesRead
  if (burst.requests <= MOST_AT_ONCE) return false
  socket.destroy()
  stopParsing(socket)
  return true
}

/** Node's own parser of a connection: it hands each message's head over, and is told by a 2 of an upgrade. */
type Message = IncomingMessage & { upgrade: boolean }
type Parsed = Socket & { parser?: { onIncoming: (message: Message) => number } | null }

/**
 * Of a connection that is gone Node would still make a message of each request that it has read, up to
 * 1,800 of them, in 10 to 20 ms. Told that what follows is no HTTP any more, its parser stops.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Parsed
  if (!parser) return
  parser.onIncoming = (message) => {
    // Nobody takes the connection over: Node is to close it as any other.
    message.upgrade = false
    return 2
  }
}
