import type { Socket } from 'node:net'
import type { Clock } from '../domain/time/clock.ts'
import type { ListenerLog } from '../http/connections/listener-log.ts'
import { answerSocket, refusedBecause, whenAnswerable } from '../http/socket-answer.ts'
import { type FeedRefusal, headersTooLarge, malformedRequest, requestTimeout } from './refusal.ts'
import { refusalReply } from './reply.ts'

/** Answers input that never became a request, with the feed's error body. Reports the refusal. */
export function answerSocketError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  clock: Clock,
  log: ListenerLog,
  refused: (refusal: FeedRefusal) => void,
): void {
  whenAnswerable(error, socket, () => {
    const refusal = refusalOf(error.code)
    const { status, headers, body } = refusalReply(refusal, clock.now())
    const id = log.unreadable(socket.remoteAddress ?? '', status, refusedBecause(error))
    answerSocket(socket, status, headers, body, id)
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
