import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ListenerLog } from '../http/listener-log.ts'
import { type InputFault, refuseInput } from '../http/socket-answer.ts'

const STATUS: Record<InputFault, number> = {
  'headers too large': 431,
  timeout: 408,
  malformed: 400,
}

/** Answers input that Node's parser refused. */
export function answerSocketError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  log: ListenerLog,
): void {
  refuseInput(error, socket, log, (fault) => {
    const status = STATUS[fault]
    const headers = ['Content-Type', 'application/json; charset=utf-8']
    return { status, headers, body: JSON.stringify({ status: STATUS_CODES[status] }) }
  })
}
