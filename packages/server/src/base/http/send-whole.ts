import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A shorter body leaves in one write with its headers. */
const LARGE_BYTES = 16 * 1024

/**
 * TLS keeps an encrypted copy of what it gets until the client takes it, so it gets only this much at
 * once.
 */
const TLS_PIECE_BYTES = 8 * 1024

/** The longest time for an answer: this long, or as long as its bytes take at this rate. */
export const MIN_DEADLINE_MS = 120_000

export const MIN_BYTES_PER_MS = 32

/**
 * Ends a response, whose head is set, with a complete body. Undefined if the body was handed over at
 * once. A large body resolves with true when the system has taken all of it, and with false if the client
 * has gone or took too long. Nothing that a client sends extends its time.
 */
export function sendWhole(
  response: ServerResponse,
  body: string | Buffer,
): Promise<boolean> | undefined {
  if (body.length > LARGE_BYTES) {
    return sendLarge(response, typeof body === 'string' ? Buffer.from(body) : body)
  }
  response.end(body)
}

function sendLarge(response: ServerResponse, body: Buffer): Promise<boolean> {
  const pieceBytes = 'encrypted' in response.req.socket ? TLS_PIECE_BYTES : body.length
  const { promise: sent, resolve } = Promise.withResolvers<boolean>()
  const forget = whenGone(response, () => resolve(false))
  let deadline: NodeJS.Timeout | undefined

  function begin(): void {
    deadline = setTimeout(() => response.destroy(), deadlineMs(body.length))
    sendFrom(0)
  }

  function sendFrom(at: number): void {
    if (at >= body.length) {
      response.end()
      resolve(true)
      return
    }
    const end = at + pieceBytes
    response.write(body.subarray(at, end), (error) => error || sendFrom(end))
  }

  // The answers to earlier requests of the connection go first.
  if (response.socket === null) response.once('socket', begin)
  else begin()
  return sent.finally(() => {
    clearTimeout(deadline)
    forget()
  })
}

function deadlineMs(bytes: number): number {
  return Math.max(MIN_DEADLINE_MS, bytes / MIN_BYTES_PER_MS)
}

/**
 * Calls back when the client has gone. Returns a function that cancels this. Only the connection itself
 * always reports this: Node notifies neither a response whose turn has not come, nor one whose connection it has
 * handed over (`holdHandedOver`).
 */
export function whenGone({ req: { socket } }: ServerResponse, leave: () => void): () => void {
  // A client may have asked for many answers at once.
  socket.setMaxListeners(0).once('close', leave)
  if (socket.destroyed) leave()
  return () => void socket.off('close', leave)
}

const signals = new WeakMap<Socket, AbortSignal>()

/** Aborts when a connection closes, because nobody will read its answers. */
export function clientGone(connection: Socket): AbortSignal {
  const known = signals.get(connection)
  if (known !== undefined) return known
  const closing = new AbortController()
  if (connection.destroyed) closing.abort()
  else connection.once('close', () => closing.abort())
  signals.set(connection, closing.signal)
  return closing.signal
}
