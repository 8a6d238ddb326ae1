import type { Socket } from 'node:net'
import type { Clock } from '../domain/time/clock.ts'
import { answerSocket, whenAnswerable } from '../http/socket-answer.ts'
import { type FeedRefusal, headersTooLarge, malformedRequest, requestTimeout } from './refusal.ts'
import { refusalReply } from './reply.ts'

/** Answers input that never became a request, with the feed's error body. Reports the refusal. */
export function answerSocketError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  clock: Clock,
  refused: (refusal: FeedRefusal) => void,
): void {
  whenAnswerable(error, socket, () => {
    const refusal = refusalOf(error.code)
    const { status, headers, body } = refusalReply(refusal, clock.now())
    answerSocket(socket, status, headers, body)
    refused(refusal)
  })
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
