import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Denial } from '../../base/access/authenticate-key.ts'
import type { Credential } from '../../base/domain/credential.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import {
  type HttpServer,
  openHttpServer,
  type RequestHandler,
  type Tls,
} from '../../base/http/http-server.ts'
import { type ListenerLog, type LoggedLimits, REQUEST_ID } from '../../base/http/listener-log.ts'
import { type InputFault, refuseInput } from '../../base/http/socket-answer.ts'
import type { Api } from '../../read/api.ts'
import { bestLanguage } from '../../read/exchange/negotiation.ts'
import {
  answerReply,
  failureRefusal,
  isEventStream,
  type Reply,
  refusalReply,
} from '../../read/exchange/reply.ts'
import { type ApiRequest, isSoundlyEncoded, readRequest } from '../../read/exchange/request.ts'
import { writeReply } from '../../read/exchange/write-reply.ts'
import {
  headersTooLarge,
  internal,
  malformedRequest,
  type Refusal,
  requestTimeout,
} from '../../read/refusal.ts'
import { documentationReply } from './documentation/serve-documentation.ts'
import type { LinkFace } from './links/serve-link.ts'
import { findRoute } from './operations/api-operations.ts'
import { type Outcome, runOperation } from './pipeline.ts'

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
  links: LinkFace,
  host: string,
  port: number,
  limits: LoggedLimits,
  tls: Tls | undefined,
): Promise<HttpServer> {
  const answer: RequestHandler = (message, response, endsConnection) =>
    handle(api, links, message, response, endsConnection)
  const answers = {
    request: answer,
    checkExpectation: answer,
    refuse: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerSocketError(error, socket, api.clock, limits),
  }
  return openHttpServer(HTTP_OPTIONS, answers, host, port, limits, tls)
}

/**
 * Handles one request, from its headers to its line in the log. Never rejects. `endsConnection`: whether
 * the answer whose head is being written must be the last of its connection.
 */
export async function handle(
  api: Api,
  links: LinkFace,
  message: IncomingMessage,
  response: ServerResponse,
  endsConnection: () => boolean,
): Promise<void> {
  const startedUs = api.clock.monotonic()
  gatherAnswers()
  const request = readRequest(message, startedUs)
  const exchange: Exchange = {
    operation: 'none',
    organization: undefined,
    key: undefined,
    denial: undefined,
    reply: undefined,
    isHeld: false,
  }
  let isWhole = true
  try {
    const reply = await makeReply(api, links, request, exchange)
    exchange.reply = reply
    reply.headers.push(REQUEST_ID, request.id)
    const mustClose = reply.close || request.hasBody || !isSoundlyEncoded(request.target)
    if (mustClose || endsConnection()) reply.headers.push('Connection', 'close')
    const leaving = whenAnswersLeave()
    if (leaving !== undefined) await leaving
    const isHead = request.method === 'HEAD'
    const writing = writeReply(response, reply, isHead, request.acceptEncoding)
    if (writing !== undefined) isWhole = await writing
  } catch (error) {
    // The head is written, so an error can no longer be reported. Abort the connection.
    api.log.failure(error, request.id)
    message.destroy()
  }
  const body = exchange.reply?.body
  const ended = isEventStream(body) ? body.ended() : undefined
  api.log.request({
    id: request.id,
    method: request.method,
    operation: exchange.operation,
    organization: exchange.organization,
    key: exchange.key?.id,
    denial: exchange.denial,
    status: exchange.reply?.status ?? internal.status,
    durationUs: api.clock.monotonic() - startedUs,
    isHeld: exchange.isHeld,
    ended,
    aborted: ended === undefined && (!isWhole || !response.writableEnded),
    message,
  })
}

type Exchange = {
  operation: string
  organization: number | undefined
  key: Credential | undefined
  denial: Denial | undefined
  reply: Reply | undefined
  isHeld: boolean
}

async function makeReply(
  api: Api,
  links: LinkFace,
  request: ApiRequest,
  exchange: Exchange,
): Promise<Reply> {
  const route = request.isSound ? findRoute(request.method, request.target) : malformedRequest
  if ('status' in route) {
    const ofLink = request.isSound ? await links.reply(request) : undefined
    if (ofLink !== undefined) {
      exchange.operation = ofLink.operation
      exchange.organization = ofLink.organization
      return ofLink.reply
    }
    const document = await documentationReply(api.documents, request)
    if (document !== undefined) exchange.operation = 'documentation'
    if (document !== undefined && 'body' in document) return document
    return toReply(api, request, document ?? route)
  }
  exchange.operation = route.operation.id
  const outcome = await runOperation(api, route, request)
  exchange.key = outcome.key
  exchange.organization = outcome.key?.organization
  exchange.denial = outcome.denial
  const { reply, headers } = outcome
  if ('status' in reply) return toReply(api, request, reply, outcome)
  exchange.isHeld = reply.isHeld ?? isEventStream(reply.body)
  try {
    const replying = answerReply(reply, headers, request, outcome.format)
    return replying instanceof Promise ? await replying : replying
  } catch (error) {
    // A list is encoded only now, so it may still fail.
    return toReply(api, request, failureRefusal(api, request, error), outcome)
  }
}

function toReply(api: Api, request: ApiRequest, refusal: Refusal, outcome?: Outcome): Reply {
  const spoken = outcome?.organization?.language ?? 'en'
  const language = bestLanguage(request.acceptLanguage, spoken)
  return refusalReply(refusal, outcome?.headers ?? [], language, api.clock.now())
}

/** The errors of Node's parser. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

const REFUSALS: Record<InputFault, Refusal> = {
  'headers too large': headersTooLarge,
  timeout: requestTimeout,
  malformed: malformedRequest,
}

/** Answers input that Node's parser refused with the error body. */
function answerSocketError(
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

let leaving: Promise<void> | undefined

/**
 * Call when a request arrives. Holds answers until the event loop has read all other requests of this turn, so
 * that they can be written together.
 */
export function gatherAnswers(): void {
  leaving ??= new Promise((resolve) => {
    setImmediate(() => {
      leaving = undefined
      resolve()
    })
  })
}

/**
 * Resolves when the answers of this turn may be written. Undefined: now. A write that wakes the reader at the other
 * end costs far more than a write to one that is awake, so answers that are written together cost half.
 */
export function whenAnswersLeave(): Promise<void> | undefined {
  return leaving
}
