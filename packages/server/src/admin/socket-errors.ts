import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ListenerLog } from '../http/connections/listener-log.ts'
import { answerSocket, refusedBecause, whenAnswerable } from '../http/socket-answer.ts'

/** Answers input that Node's parser refused. */
export function answerSocketError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  log: ListenerLog,
): void {
  whenAnswerable(error, socket, () => {
    const status = statusOf(error.code)
    const headers = ['Content-Type', 'application/json; charset=utf-8']
    const id = log.unreadable(socket.remoteAddress ?? '', status, refusedBecause(error))
    answerSocket(socket, status, headers, JSON.stringify({ status: STATUS_CODES[status] }), id)
  })
}

function statusOf(code: string | undefined): number {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408
    default:
      return 400
  }
}
