import type { Socket } from 'node:net'
import type { Clock } from '../domain/clock.ts'
import { answerSocket, canBeAnswered } from '../http/socket-answer.ts'
import { type FeedRefusal, headersTooLarge, malformedRequest, requestTimeout } from './refusal.ts'
import { refusalReply } from './reply.ts'

/** Answers what never became a request, with the feed's error body; what it was refused for. */
export function answerSocketError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  clock: Clock,
): FeedRefusal | undefined {
  if (!canBeAnswered(error, socket)) {
    socket.destroy()
    return undefined
  }
  const refusal = refusalOf(error.code)
  const { status, headers, body } = refusalReply(refusal, clock.now())
  answerSocket(socket, status, headers, body)
  return refusal
}

function refusalOf(code: string | undefined): FeedRefusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout
    default:
      return malformedRequest
  }
}
