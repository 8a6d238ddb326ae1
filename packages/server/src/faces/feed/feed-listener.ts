import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import type { Clock } from '../../base/domain/time/time.ts'
import {
  type Answers,
  type HttpServer,
  openHttpServer,
  type Tls,
} from '../../base/http/http-server.ts'
import {
  type ListenerLog,
  type LoggedLimits,
  type Logger,
  newRequestId,
  REQUEST_ID,
} from '../../base/http/listener-log.ts'
import { openHeldMemory, openReadingTurns } from '../../base/http/request-body.ts'
import { type InputFault, refuseInput } from '../../base/http/socket-answer.ts'
import { openFeedLog, openFeedMetrics } from './feed-log.ts'
import {
  expectationFailed,
  type FeedRefusal,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
} from './feed-refusal.ts'
import { refusalReply } from './feed-reply.ts'
import { type Feed, handle } from './handle.ts'
import type { Ingest } from './packet.ts'

type FeedParts = Pick<Feed, 'catchUp' | 'findToken' | 'denialOf'> & {
  ingest: Ingest
  clock: Clock
  logger: Logger
  /** The client's address, as the log shows it. */
  addressOf(message: IncomingMessage): string
  registry: Registry
}

const HTTP_OPTIONS = {
  maxHeaderSize: 16 * 1024,
  requestTimeout: 30_000,
  // `handle` checks it: Node's own answer to a missing Host has no body.
  requireHostHeader: false,
}

/**
 * The feed's listener. Port 0 takes a free port. `drain` waits for requests in flight.
 */
export function listenFeed(
  parts: FeedParts,
  host: string,
  port: number,
  limits: LoggedLimits,
  tls: Tls | undefined,
): Promise<HttpServer> {
  const { ingest, clock } = parts
  const feed: Feed = {
    ingest,
    catchUp: parts.catchUp,
    findToken: parts.findToken,
    denialOf: parts.denialOf,
    holdMemory: openHeldMemory(),
    inReadingTurn: openReadingTurns(),
    clock,
    log: openFeedLog(parts.logger, parts.addressOf, clock),
    metrics: openFeedMetrics(parts.registry),
  }
  const refused = ({ status }: FeedRefusal) => feed.metrics.request('none', status)
  const answers: Answers = {
    request: (message, response, endsConnection) =>
      handle(feed, message, response, false, endsConnection),
    checkContinue: (message, response, endsConnection) =>
      handle(feed, message, response, true, endsConnection),
    async checkExpectation(message, response) {
      const { status, headers, body } = refusalReply(expectationFailed, clock.now())
      const id = newRequestId()
      refused(expectationFailed)
      response.writeHead(status, [...headers, REQUEST_ID, id, 'Connection', 'close'])
      response.end(body)
      feed.log.failed({
        id,
        message,
        refusal: expectationFailed,
        durationUs: 0,
        format: 'none',
        token: undefined,
        denial: undefined,
      })
    },
    refuse: (error, socket) => answerSocketError(error, socket, clock, limits, refused),
  }
  return openHttpServer(HTTP_OPTIONS, answers, host, port, limits, tls)
}

const REFUSALS: Record<InputFault, FeedRefusal> = {
  'headers too large': headersTooLarge,
  timeout: requestTimeout,
  malformed: malformedRequest,
}

/** Answers input that never became a request, with the feed's error body. Reports the refusal. */
function answerSocketError(
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
