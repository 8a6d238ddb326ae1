import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** How long a peer may go on sending after it has been answered, before it is cut off. */
const LINGER_MS = 1_000

/** Nobody is there to read, or nobody who speaks TLS. */
const GONE = /^(?:ECONNRESET|ERR_TLS_HANDSHAKE_TIMEOUT)$/

/** Whether an answer can still be put on a socket: one that is under way must not get another. */
export function canBeAnswered(error: NodeJS.ErrnoException, socket: Socket): boolean {
  return !GONE.test(error.code ?? '') && socket.writable && !isAnswering(socket)
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

function isAnswering(socket: Socket): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true
}
