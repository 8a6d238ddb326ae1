import type { IncomingMessage, ServerResponse } from 'node:http'
import { REQUEST_ID } from '../http/request-id.ts'
import { sendWhole } from '../http/send-whole.ts'
import { QuotaUnavailable } from '../realtime/realtime.ts'
import { StoreUnavailable } from '../store/store.ts'
import { type AdminApi, type Call, type Caller, Reply } from './admin-api.ts'
import { MOST_BYTES, parseBody, readBody } from './body.ts'
import { callerOf, deviceOf, refuseForeign } from './come-in.ts'
import { openapi } from './description.ts'
import { LIVE_HEADERS, streamLive } from './live-stream.ts'
import type { AdminOperation } from './operation.ts'
import { ADMIN_PREFIX, WATCH } from './operations.ts'
import { Refused, signedOut } from './refused.ts'
import { type AdminRoute, findAdminRoute } from './route.ts'
import { requireScope } from './scopes.ts'

const EMPTY = Buffer.alloc(0)
const DESCRIPTION = '/openapi.json'

/** The result of sending a body. Undefined if it was handed over at once. */
type Sending = Promise<boolean> | undefined

/** Answers a request to the operator's API. Never rejects. */
export async function answerAdmin(
  api: AdminApi,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const [target = '', query] = message.url!.split(/\?(.*)/s)
    const path = target.slice(ADMIN_PREFIX.length)
    // HEAD is answered like GET. Node leaves the body out.
    const method = message.method === 'HEAD' ? 'GET' : message.method!
    refuseForeign(message, api.about.consoleUrl)
    if (path === DESCRIPTION && method === 'GET') {
      await sendText(response, 200, openapi())
      return
    }
    const route = findAdminRoute(method, path)
    const call = await callOf(api, message, route, new URLSearchParams(query))
    const answered = await route.operation.run(call)
    if (route.operation === WATCH) return watch(call, message, response)
    await send(response, route.operation.status, answered)
  } catch (error) {
    if (!response.headersSent) await sendRefusal(api, response, error)
    else response.destroy()
  } finally {
    // An unread body would block the connection for the next request.
    message.resume()
  }
}

/**
 * A stream lives longer than the checks at its start, so the watcher's access is checked again and again.
 */
function watch({ api, params }: Call, message: IncomingMessage, response: ServerResponse): void {
  if (message.method === 'HEAD') return void response.writeHead(200, LIVE_HEADERS).end()
  const isLetIn = async () => (await callerOf(api, message)) !== null
  streamLive(api.live, params.organization!, response, isLetIn)
}

async function callOf(
  api: AdminApi,
  message: IncomingMessage,
  route: AdminRoute,
  query: URLSearchParams,
): Promise<Call> {
  const { operation, params } = route
  let caller = await admittedBy(api, message, route)
  const { takes } = operation
  const address = api.addressOf(message)
  const file = takes === undefined ? EMPTY : await readBody(message, mostBytes(operation))
  // The session or token may have ended while the body came, which can take two minutes.
  if (takes !== undefined) caller = await admittedBy(api, message, route)
  const contentType = (message.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  return {
    api,
    store: caller === null ? api.store : api.storeAs(caller.actor, address),
    caller,
    params,
    query,
    body: takes === undefined || takes === 'file' ? {} : parseBody(file),
    file,
    contentType,
    address,
    device: deviceOf(message),
    userAgent: message.headers['user-agent'] ?? '',
    now: api.clock.now(),
  }
}

/** The caller, if the operation is open to it; throws `Refused` if not. Null: nobody has signed in. */
async function admittedBy(
  api: AdminApi,
  message: IncomingMessage,
  route: AdminRoute,
): Promise<Caller | null> {
  const caller = await callerOf(api, message)
  if (route.operation.isOpen) return caller
  if (caller === null) throw signedOut()
  requireScope(caller, route)
  return caller
}

/** A caller who has not signed in sends a password and nothing larger. */
function mostBytes({ takes, isOpen }: AdminOperation): number {
  if (takes === 'file') return MOST_BYTES.file
  return isOpen === true ? MOST_BYTES.open : MOST_BYTES.json
}

function send(response: ServerResponse, status: number, answered: unknown): Sending {
  const reply = answered instanceof Reply ? answered : new Reply(answered, {})
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value)
  if (reply.body !== null && reply.body !== undefined) return sendJson(response, status, reply.body)
  response.writeHead(status).end()
}

function sendRefusal(api: AdminApi, response: ServerResponse, error: unknown): Sending {
  if (error instanceof Refused) {
    const { status, code, message, field, headers } = error
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    return sendJson(response, status, { code, message, field })
  }
  api.failed(error, String(response.getHeader(REQUEST_ID)))
  if (error instanceof StoreUnavailable || error instanceof QuotaUnavailable) {
    response.setHeader('Retry-After', '5')
    const message = 'a part of the server is down; try again in a moment'
    return sendJson(response, 503, { code: 'unavailable', message, field: null })
  }
  return sendJson(response, 500, {
    code: 'internal',
    message: 'something broke; see the log',
    field: null,
  })
}

function sendJson(response: ServerResponse, status: number, body: unknown): Sending {
  return sendText(response, status, JSON.stringify(body))
}

/** `json`: text, or its bytes. */
function sendText(response: ServerResponse, status: number, json: string | Buffer): Sending {
  if (!response.hasHeader('Content-Type')) {
    response.setHeader('Content-Type', 'application/json; charset=utf-8')
  }
  response.writeHead(status)
  return sendWhole(response, json)
}
