import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { answerSocket, whenAnswerable } from '../http/socket-answer.ts'

/** Answers input that Node's parser refused. */
export function answerSocketError(error: NodeJS.ErrnoException, socket: Socket): void {
  whenAnswerable(error, socket, () => {
    const status = statusOf(error.code)
    const headers = ['Content-Type', 'application/json; charset=utf-8']
    answerSocket(socket, status, headers, JSON.stringify({ status: STATUS_CODES[status] }))
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
