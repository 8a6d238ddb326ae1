import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests that a connection may send at once without reading answers. Clients that pipeline send a few.
 */
const MAX_AT_ONCE = 32

/** Bytes of the heads of requests that wait until an earlier one of their connection is answered. */
const MAX_WAITING_BYTES = 64 * 1024

type Burst = { bytesRead: number; requests: number; waiting: number; waitingBytes: number }

const bursts = new WeakMap<Socket, Burst>()

/**
 * Counts a request by its response. Cuts the connection if it has sent too many at once, and returns true. All
 * requests read together (up to 64 KiB) are answered before any other connection gets a turn. Requests that wait
 * for an answer that nobody reads stay in memory.
 */
export function cutFlood(response: ServerResponse): boolean {
  const { socket } = response.req
  const burst = burstOf(socket)
  const { bytesRead } = socket
  burst.requests = burst.bytesRead === bytesRead ? burst.requests + 1 : 1
  burst.bytesRead = bytesRead
  if (burst.requests <= MAX_AT_ONCE && mayWait(response, burst)) return false
  socket.destroy()
  stopParsing(socket)
  return true
}

function burstOf(socket: Socket): Burst {
  const known = bursts.get(socket)
  if (known !== undefined) return known
  const burst = { bytesRead: -1, requests: 0, waiting: 0, waitingBytes: 0 }
  bursts.set(socket, burst)
  return burst
}

/** Counts a request that waits for its turn. Returns false if too much waits. */
function mayWait(response: ServerResponse, burst: Burst): boolean {
  // Node gives a response its socket when its turn comes.
  if (response.socket !== null) return true
  const bytes = headBytes(response.req)
  burst.waiting += 1
  burst.waitingBytes += bytes
  response.once('socket', () => {
    burst.waiting -= 1
    burst.waitingBytes -= bytes
  })
  return burst.waiting <= MAX_AT_ONCE && burst.waitingBytes <= MAX_WAITING_BYTES
}

function headBytes({ url, rawHeaders }: IncomingMessage): number {
  let bytes = url!.length
  for (const text of rawHeaders) bytes += text.length
  return bytes
}

/**
 * Node's own parser of a connection. It calls back for each message's head, and a result of 2 means an
 * upgrade.
 */
type Message = IncomingMessage & { upgrade: boolean }
type Parsed = Socket & { parser?: { onIncoming: (message: Message) => number } | null }

/**
 * After a cut, Node would still parse all requests that it has read, up to 1,800 of them, which takes 10
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
