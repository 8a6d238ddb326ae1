import type { Socket } from 'node:net'
import type { Clock } from '../domain/clock.ts'
import {
  headersTooLarge,
  malformedRequest,
  type Refusal,
  requestTimeout,
} from '../domain/refusal.ts'
import { JSON_TYPE, refusalBody } from './reply.ts'

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/**
 * Answers what never became a request: Node's parser refused it, so no response object exists and
 * the contract's error body is written to the socket by hand. The connection ends with it.
 */
export function answerSocketError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  clock: Clock,
): void {
  // An answer already under way must not get a second one into its middle.
  const underWay = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || underWay) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error)
  const body = refusalBody(refusal, 'en', clock.now())
  socket.end(
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status]}\r\n` +
      'Connection: close\r\n' +
      `Content-Type: ${JSON_TYPE}\r\n` +
      'Content-Language: en\r\n' +
      'Cache-Control: no-store\r\n' +
      `Content-Length: ${body.length}\r\n` +
      `\r\n${body}`,
  )
  // A peer that keeps sending, or never reads, is not waited for.
  socket.destroySoon()
}

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout
    default:
      return malformedRequest
  }
}
