import type { Socket } from 'node:net'
import type { Clock } from '../domain/time/clock.ts'
import type { ListenerLog } from '../http/connections/listener-log.ts'
import { answerSocket, refusedBecause, whenAnswerable } from '../http/socket-answer.ts'
import { headersTooLarge, malformedRequest, type Refusal, requestTimeout } from './refusal.ts'
import { refusalReply } from './reply/reply.ts'
import { findRoute } from './request/route.ts'

/** The errors of Node's parser. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

/** Answers input that Node's parser refused with the error body. */
export function answerSocketError(
  error: ParserError,
  socket: Socket,
  clock: Clock,
  log: ListenerLog,
): void {
  whenAnswerable(error, socket, () => {
    const { status, headers, body } = refusalReply(refusalOf(error), [], 'en', clock.now())
    const id = log.unreadable(socket.remoteAddress ?? '', status, refusedBecause(error))
    answerSocket(socket, status, headers, body, id)
  })
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

/** Node's parser knows a list of methods. An unknown method is refused by path, like any other. */
function unknownMethod(packet: string): Refusal {
  const [, method, target] = /^([!#$%&'*+.^_`|~\w-]+) (\/\S*) HTTP\/1\.[01]\r\n/.exec(packet) ?? []
  if (method === undefined || target === undefined) return malformedRequest
  const route = findRoute(method, target)
  return 'status' in route ? route : malformedRequest
}
