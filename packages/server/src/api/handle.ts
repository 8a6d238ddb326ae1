import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { ApiKey } from '../domain/api-key.ts'
import { internal, malformedRequest } from '../domain/refusal.ts'
import { answerReply } from './answer-reply.ts'
import type { Api } from './api.ts'
import { preferredCoding } from './compression.ts'
import { findDocument } from './documentation-reply.ts'
import { bestLanguage } from './language.ts'
import { failureRefusal, type Outcome, runOperation } from './pipeline.ts'
import { isSoundlyEncoded } from './query.ts'
import { type Reply, refusalReply } from './reply.ts'
import { type ApiRequest, readRequest } from './request.ts'
import { findRoute } from './route.ts'
import { writeReply } from './write-reply.ts'

/** One request, from its headers to the line it leaves in the log. Never rejects. */
export async function handle(
  api: Api,
  message: IncomingMessage | Http2ServerRequest,
  response: ServerResponse,
  isDraining: () => boolean,
): Promise<void> {
  const startedUs = api.clock.monotonic()
  const request = readRequest(message)
  const exchange: Exchange = { operation: 'none', key: undefined, reply: undefined }
  let aborted = false
  try {
    const reply = await findReply(api, request, exchange)
    exchange.reply = reply
    const mustClose = reply.close || request.hasBody || !isSoundlyEncoded(request.target)
    if ((mustClose || isDraining()) && message.httpVersionMajor === 1) {
      reply.headers.push('Connection', 'close')
    }
    const coding = preferredCoding(request.acceptEncoding)
    await writeReply(response, reply, request.method === 'HEAD', coding)
  } catch (error) {
    // The head is written, so nothing can be said any more: the connection is aborted instead.
    aborted = true
    api.log.failure(error)
    message.destroy()
  }
  api.log.request({
    method: request.method,
    operation: exchange.operation,
    organization: exchange.key?.organization,
    key: exchange.key?.id,
    status: exchange.reply?.status ?? internal.status,
    durationUs: api.clock.monotonic() - startedUs,
    aborted,
    message,
  })
}

type Exchange = { operation: string; key: ApiKey | undefined; reply: Reply | undefined }

async function findReply(api: Api, request: ApiRequest, exchange: Exchange): Promise<Reply> {
  const route = request.hostIsSound ? findRoute(request.method, request.target) : malformedRequest
  if ('status' in route) {
    const document = findDocument(request)
    if (document !== undefined) exchange.operation = 'documentation'
    return document ?? refusalReply(route, [], languageFor(request, undefined), api.clock.now())
  }
  exchange.operation = route.operation.id
  const outcome = await runOperation(api, route, request)
  exchange.key = outcome.key
  const { reply, headers } = outcome
  if (!('status' in reply)) {
    try {
      return await answerReply(reply, headers, request)
    } catch (error) {
      // A body that was to be made when it was wanted.
      return refusalReply(
        failureRefusal(api, error),
        headers,
        languageFor(request, outcome),
        api.clock.now(),
      )
    }
  }
  return refusalReply(reply, headers, languageFor(request, outcome), api.clock.now())
}

function languageFor(request: ApiRequest, outcome: Outcome | undefined) {
  return bestLanguage(request.acceptLanguage, outcome?.organization?.language ?? 'en')
}
