import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests that a connection may send at once without reading answers. Clients that pipeline send a few.
 */
const MOST_AT_ONCE = 32

type Burst = { bytesRead: number; requests: number }

const bursts = new WeakMap<Socket, Burst>()

/**
 * Counts a request. Cuts the connection if it has sent too many at once, and returns true. All requests
 * read together (up to 64 KiB) are answered before any other connection gets a turn.
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

/**
 * Node's own parser of a connection. It calls back for each message's head, and a result of 2 means an
 * upgrade.
 */
type Message = IncomingMessage & { upgrade: boolean }
type Parsed = Socket & { parser?: { onIncoming: (message: Message) => number } | null }

/**
 * After a cut Node would still parse all requests that it has read, up to 1,800 of them, which takes 10
 * to 20 ms. Telling the parser that no more HTTP follows stops it.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Parsed
  if (!parser) return
  parser.onIncoming = (message) => {
    // Nobody takes the connection over. Node must close it like any other.
    message.upgrade = false
    return 2
  }
}
