import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { queuedBytes, stopParsing } from './node-internals.ts'

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
