import type { Socket } from 'node:net'
import type { Clock } from '../domain/time/clock.ts'
import type { ListenerLog } from '../http/connections/listener-log.ts'
import { type InputFault, refuseInput } from '../http/socket-answer.ts'
import { headersTooLarge, malformedRequest, type Refusal, requestTimeout } from './refusal.ts'
import { refusalReply } from './reply/reply.ts'
import { findRoute } from './request/route.ts'

/** The errors of Node's parser. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

const REFUSALS: Record<InputFault, Refusal> = {
  'headers too large': headersTooLarge,
  timeout: requestTimeout,
  malformed: malformedRequest,
}

/** Answers input that Node's parser refused with the error body. */
export function answerSocketError(
  error: ParserError,
  socket: Socket,
  clock: Clock,
  log: ListenerLog,
): void {
  const { code, rawPacket } = error
  refuseInput(error, socket, log, (fault) => {
    const refusal =
      code === 'HPE_INVALID_METHOD'
        ? unknownMethod(rawPacket?.toString('latin1') ?? '')
        : REFUSALS[fault]
    return refusalReply(refusal, [], 'en', clock.now())
  })
}

/** Node's parser knows a list of methods. An unknown method is refused by path, like any other. */
function unknownMethod(packet: string): Refusal {
  const [, method, target] = /^([!#$%&'*+.^_`|~\w-]+) (\/\S*) HTTP\/1\.[01]\r\n/.exec(packet) ?? []
  if (method === undefined || target === undefined) return malformedRequest
  const route = findRoute(method, target)
  return 'status' in route ? route : malformedRequest
}
