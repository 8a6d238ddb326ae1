import type { Socket } from 'node:net'
import type { Clock } from '../domain/time/clock.ts'
import type { ListenerLog } from '../http/connections/listener-log.ts'
import { type InputFault, refuseInput } from '../http/socket-answer.ts'
import { type FeedRefusal, headersTooLarge, malformedRequest, requestTimeout } from './refusal.ts'
import { refusalReply } from './reply.ts'

const REFUSALS: Record<InputFault, FeedRefusal> = {
  'headers too large': headersTooLarge,
  timeout: requestTimeout,
  malformed: malformedRequest,
}

/** Answers input that never became a request, with the feed's error body. Reports the refusal. */
export function answerSocketError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  clock: Clock,
  log: ListenerLog,
  refused: (refusal: FeedRefusal) => void,
): void {
  refuseInput(error, socket, log, (fault) => {
    refused(REFUSALS[fault])
    return refusalReply(REFUSALS[fault], clock.now())
  })
}
