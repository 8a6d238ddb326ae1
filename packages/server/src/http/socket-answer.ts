import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { REQUEST_ID } from './request-id.ts'

/** How long a peer may go on sending after the answer, before it is cut off. */
export const LINGER_MS = 1_000

/** The client has gone, or does not speak TLS. */
const GONE = /^(?:ECONNRESET|EPIPE|ERR_SSL_.*|ERR_TLS_.*)$/

/** Sockets on which a broken request waits for earlier answers. */
const waiting = new WeakSet<Socket>()

/**
 * Calls `answer` when a refusal of broken input can be written to its socket: after the answers to
 * earlier requests, or the client would take it for one of them (RFC 9112, 9.3.2). Cuts the connection if
 * the broken request itself is being answered, or the client has gone.
 */
export function whenAnswerable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  answer: () => void,
): void {
  const pending = (socket as Answering)._httpMessage ?? undefined
  const isAnswering = pending?.headersSent === true && !pending.req.complete
  // Another part has ended the socket and will close it once everything is sent.
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

/** Why input was refused, for the log: a code of Node or its parser, without anything that the client sent. */
export function refusedBecause({ code, message }: NodeJS.ErrnoException): string {
  return code ?? message
}

/** Node's own field for the answer that a socket carries now or next. */
type Answering = Socket & { _httpMessage?: ServerResponse | null }

/**
 * Stays with a connection that Node hands over whole (CONNECT) and handles its errors and time-outs: an
 * error without a listener would end the process.
 */
export function holdHandedOver(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.on('timeout', () => socket.destroy())
}

/**
 * Writes an answer to input that Node's parser refused, so there is no response object. Ends the
 * connection. `headers`: name, value, name, value. `id`: of its line in the log, if there is one.
 */
export function answerSocket(
  socket: Socket,
  status: number,
  headers: readonly string[],
  body: string,
  id: string | undefined,
): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  if (id !== undefined) lines.push(`${REQUEST_ID}: ${id}`)
  lines.push('Connection: close', `Content-Length: ${Buffer.byteLength(body)}`, '', '')
  socket.end(lines.join('\r\n') + body)
  linger(socket)
}

/**
 * Closing while bytes still arrive makes the system reset the connection, and the client may lose the
 * answer (RFC 9112, 9.6). So the rest is read and dropped for a moment.
 */
function linger(socket: Socket): void {
  socket.removeAllListeners('data')
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
