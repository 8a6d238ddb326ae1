import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../domain/clock.ts'
import {
  headersTooLarge,
  malformedRequest,
  type Refusal,
  requestTimeout,
} from '../domain/refusal.ts'
import { refusalReply } from './reply.ts'
import { findRoute } from './route.ts'

/** How long a peer may go on sending after it has been answered, before it is cut off. */
const LINGER_MS = 1_000

/** What Node's parser says of bytes that it refused. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

/**
 * Answers what never became a request: Node's parser refused it, so no response object exists and
 * the contract's error body is written to the socket by hand. The connection ends with it.
 */
export function answerSocketError(error: ParserError, socket: Socket, clock: Clock): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const { status, headers, body } = refusalReply(refusalOf(error), [], 'en', clock.now())
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

/** An answer that is under way must not get a second one into its middle. */
function isAnswering(socket: Socket): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true
}

function refusalOf({ code, rawPacket }: ParserError): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout
    case 'HPE_INVALID_METHOD':
      return unknownMethod(rawPacket?.toString('latin1') ?? '')
    default:
      return malformedRequest
  }
}

/** Node's parser knows a list of methods; what it does not know is refused by path like any other. */
function unknownMethod(packet: string): Refusal {
  const [, method, target] = /^([!#$%&'*+.^_`|~\w-]+) (\/\S*) HTTP\/1\.[01]\r\n/.exec(packet) ?? []
  if (method === undefined || target === undefined) return malformedRequest
  const route = findRoute(method, target)
  return 'status' in route ? route : malformedRequest
}
