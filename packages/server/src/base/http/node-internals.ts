import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/**
 * All that Fleetgate needs of Node.js beyond its documented interface. `node-internals.test.ts` fails by name where a
 * version of Node.js lacks one of them.
 */
type Internals = {
  /** The socket below a TLS socket. */
  _parent: Socket
  /** The answer that a socket carries now or next. */
  _httpMessage?: ServerResponse | null
  /** Counts the bytes that the system has not taken yet. */
  _handle?: { writeQueueSize?: number } | null
  /** Calls back for the head of each message. A result of 2 means an upgrade. */
  parser?: { onIncoming: (message: IncomingMessage & { upgrade: boolean }) => number } | null
}

function internalsOf(socket: Socket): Internals {
  return socket as unknown as Internals
}

export function socketBelow(socket: TLSSocket): Socket {
  return internalsOf(socket)._parent
}

/** The answer that a socket carries now or next. */
export function pendingAnswer(socket: Socket): ServerResponse | undefined {
  return internalsOf(socket)._httpMessage ?? undefined
}

/** Bytes for a client that the system has not taken yet. */
export function queuedBytes(socket: Socket): number {
  return internalsOf(socket)._handle?.writeQueueSize ?? 0
}

/**
 * After a cut, Node would still parse all requests that it has read, up to 1,800 of them, which takes 10 to 20 ms.
 * The parser stops after a message that is reported as an upgrade.
 */
export function stopParsing(socket: Socket): void {
  const { parser } = internalsOf(socket)
  if (!parser) return
  parser.onIncoming = (message) => {
    // The message is not an upgrade: Node must close its connection like any other.
    message.upgrade = false
    return 2
  }
}
