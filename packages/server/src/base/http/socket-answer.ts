import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ListenerLog, REQUEST_ID } from './listener-log.ts'
import { pendingAnswer } from './node-internals.ts'

/** How long a peer may keep sending after the answer, before it is cut off. */
export const LINGER_MS = 1_000

/** The client has gone, or does not speak TLS. */
const GONE = /^(?:ECONNRESET|EPIPE|ERR_SSL_.*|ERR_TLS_.*)$/

/** The fault of input that never became a request. */
export type InputFault = 'headers too large' | 'timeout' | 'malformed'

const FAULTS: Record<string, InputFault> = {
  HPE_HEADER_OVERFLOW: 'headers too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
}

/** An answer without a response object. `headers`: name, value, name, value. */
type SocketReply = { status: number; headers: readonly string[]; body: string }

/** Answers input that Node's parser refused, and logs it. `replyTo` is called once, if the client gets an answer. */
export function refuseInput(
  error: NodeJS.ErrnoException,
  socket: Socket,
  log: Pick<ListenerLog, 'unreadable'>,
  replyTo: (fault: InputFault) => SocketReply,
): void {
  whenAnswerable(error, socket, () => {
    const reply = replyTo(FAULTS[error.code ?? ''] ?? 'malformed')
    // A code of Node or its parser, without anything that the client sent.
    const because = error.code ?? error.message
    const id = log.unreadable(socket.remoteAddress ?? '', reply.status, because)
    answerSocket(socket, reply, id)
  })
}

/** Sockets on which a broken request waits for earlier answers. */
const waiting = new WeakSet<Socket>()

/**
 * Calls `answer` when a refusal of broken input can be written to its socket: after the answers to
 * earlier requests, or the client would take it for one of them (RFC 9112, 9.3.2). Cuts the connection if
 * the broken request itself is being answered, or the client has gone.
 */
function whenAnswerable(error: NodeJS.ErrnoException, socket: Socket, answer: () => void): void {
  const pending = pendingAnswer(socket)
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

/**
 * Stays with a connection that Node hands over whole (CONNECT) and handles its errors and time-outs: an
 * error without a listener would end the process.
 */
export function holdHandedOver(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.on('timeout', () => socket.destroy())
}

/** Writes an answer, and ends the connection. `id`: of its line in the log, if there is one. */
function answerSocket(
  socket: Socket,
  { status, headers, body }: SocketReply,
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
