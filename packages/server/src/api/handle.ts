import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Denial } from '../access/denial.ts'
import type { Credential } from '../domain/credential.ts'
import { REQUEST_ID } from '../http/request-id.ts'
import type { Api } from './api.ts'
import { failureRefusal } from './failure-refusal.ts'
import { type Outcome, runOperation } from './pipeline.ts'
import { internal, malformedRequest, type Refusal } from './refusal.ts'
import { documentationReply } from './reply/documentation-reply.ts'
import { answerReply, isEventStream, type Reply, refusalReply } from './reply/reply.ts'
import { writeReply } from './reply/write-reply.ts'
import { bestLanguage } from './request/language.ts'
import { isSoundlyEncoded } from './request/query.ts'
import { type ApiRequest, readRequest } from './request/request.ts'
import { findRoute } from './request/route.ts'
import { gatherAnswers, whenAnswersLeave } from './same-tick.ts'

/**
 * Handles one request, from its headers to its line in the log. Never rejects. `endsConnection`: whether
 * the answer whose head is being written must be the last of its connection.
 */
export async function handle(
  api: Api,
  message: IncomingMessage,
  response: ServerResponse,
  endsConnection: () => boolean,
): Promise<void> {
  const startedUs = api.clock.monotonic()
  gatherAnswers()
  const request = readRequest(message)
  const exchange: Exchange = {
    operation: 'none',
    key: undefined,
    denial: undefined,
    reply: undefined,
    isHeld: false,
  }
  let isWhole = true
  try {
    const reply = await makeReply(api, request, exchange)
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
    // The head is written, so an error cannot be reported any more. Abort the connection.
    api.log.failure(error, request.id)
    message.destroy()
  }
  const body = exchange.reply?.body
  const ended = isEventStream(body) ? body.ended() : undefined
  api.log.request({
    id: request.id,
    method: request.method,
    operation: exchange.operation,
    organization: exchange.key?.organization,
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
  key: Credential | undefined
  denial: Denial | undefined
  reply: Reply | undefined
  isHeld: boolean
}

async function makeReply(api: Api, request: ApiRequest, exchange: Exchange): Promise<Reply> {
  const route = request.isSound ? findRoute(request.method, request.target) : malformedRequest
  if ('status' in route) {
    const document = await documentationReply(api.documents, request)
    if (document !== undefined) exchange.operation = 'documentation'
    if (document !== undefined && 'body' in document) return document
    return toReply(api, request, document ?? route)
  }
  exchange.operation = route.operation.id
  const outcome = await runOperation(api, route, request)
  exchange.key = outcome.key
  exchange.denial = outcome.denial
  const { reply, headers } = outcome
  if ('status' in reply) return toReply(api, request, reply, outcome)
  exchange.isHeld = reply.isHeld ?? isEventStream(reply.body)
  try {
    const made = answerReply(reply, headers, request, outcome.format)
    return made instanceof Promise ? await made : made
  } catch (error) {
    // A list is made only once it is wanted.
    return toReply(api, request, failureRefusal(api, request, error), outcome)
  }
}

function toReply(api: Api, request: ApiRequest, refusal: Refusal, outcome?: Outcome): Reply {
  const spoken = outcome?.organization?.language ?? 'en'
  const language = bestLanguage(request.acceptLanguage, spoken)
  return refusalReply(refusal, outcome?.headers ?? [], language, api.clock.now())
}
