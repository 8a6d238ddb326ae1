import type { Socket } from 'node:net'
import type { LoggedLimits } from '../http/connections/listener-log.ts'
import {
  type HttpServer,
  openHttpServer,
  type RequestHandler,
  type Tls,
} from '../http/http-server.ts'
import type { Api } from './api.ts'
import { handle } from './handle.ts'
import { answerSocketError } from './socket-errors.ts'

const HTTP_OPTIONS = {
  // Enough for 1,000 ids with escaped commas and the usual headers.
  maxHeaderSize: 32 * 1024,
  requestTimeout: 10_000,
  // `readRequest` checks it: Node's own answer to a missing Host has no body.
  requireHostHeader: false,
}

/** The public listener. Port 0 takes a free port. */
export function listen(
  api: Api,
  host: string,
  port: number,
  limits: LoggedLimits,
  tls: Tls | undefined,
): Promise<HttpServer> {
  const answer: RequestHandler = (message, response, endsConnection) =>
    handle(api, message, response, endsConnection)
  const answers = {
    request: answer,
    checkExpectation: answer,
    refuse: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerSocketError(error, socket, api.clock, limits),
  }
  return openHttpServer(HTTP_OPTIONS, answers, host, port, limits, tls)
}
