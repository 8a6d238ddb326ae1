import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** How long a peer may go on sending after it has been answered, before it is cut off. */
export const LINGER_MS = 1_000

/** The client has gone, or does not speak TLS. */
const GONE = /^(?:ECONNRESET|EPIPE|ERR_SSL_.*|ERR_TLS_.*)$/

/** Sockets of which a broken request waits for the answers to those before it. */
const waiting = new WeakSet<Socket>()

/**
 * Calls `answer` when an answer to what is no request can be put on its socket: not before those to
 * the requests that came before it, or it would be taken for one of theirs (RFC 9112, 9.3.2). Cuts
 * the connection where the broken request itself is under way to be answered, or nobody is there.
 */
export function whenAnswerable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  answer: () => void,
): void {
  const pending = (socket as Answering)._httpMessage ?? undefined
  const isAnswering = pending?.headersSent === true && !pending.req.complete
  // What has been ended already is closed by whoever ended it, once it is all sent.
  const isOpen = socket.writable || socket.writableEnded
  if (GONE.test(error.code ?? '') || isAnswering || !isOpen) {
    socket.destroy()
  } else if (pending?.req.complete) {
    if (waiting.has(socket)) return
    waiting.add(socket)
    pending.once('finish', () => {
      waiting.delete(socket)
      whenAnswerable(error, socket, answer)
    })
  } else if (socket.writable) {
    answer()
  }
}

/** Node's own note of the answer that a socket is to carry next, or carries now. */
type Answering = Socket & { _httpMessage?: ServerResponse | null }

/**
 * Stays with a connection that Node hands over whole, with its errors and its time-outs, because it asks to
 * be a tunnel (CONNECT): an error that nobody listens to would end the process.
 */
export function holdHandedOver(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.on('timeout', () => socket.destroy())
}

/**
 * Writes an answer by hand to what never became a request: Node's parser refused it, so no response
 * object exists. The connection ends with it. `headers`: as name, value, name, value.
 */
export function answerSocket(
  socket: Socket,
  status: number,
  headers: readonly string[],
  body: string,
): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  lines.push('Connection: close', `Content-Length: ${Buffer.byteLength(body)}`, '', '')
  socket.end(lines.join('\r\n') + body)
  linger(socket)
}

/**
 * To close while bytes still come in would make the system reset the connection, and take back the
 * answer before it is read (RFC 9112, 9.6): the rest is read and thrown away for a moment.
 */
function linger(socket: Socket): void {
  socket.removeAllListeners('data')
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
