import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Actor } from '../../acts/act.ts'
import { JsonReply, StreamedReply } from '../../acts/act-reply.ts'
import { Refused, signedOut } from '../../acts/refused.ts'
import { isOperator } from '../../base/domain/account.ts'
import { toJson } from '../../base/domain/common/plain-json.ts'
import { runInTurns } from '../../base/domain/common/slots.ts'
import { REQUEST_ID } from '../../base/http/listener-log.ts'
import { discardBody, type HeldMemory } from '../../base/http/request-body.ts'
import { sendWhole } from '../../base/http/send-whole.ts'
import { QuotaUnavailable } from '../../data/live/realtime.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { callerOf, deviceOf, refuseForeign } from './access/authenticate-caller.ts'
import { admit } from './access/authorize.ts'
import { cookiesOf } from './access/cookies.ts'
import {
  ADMIN_PREFIX,
  type AdminApi,
  type AdminOperation,
  type Call,
  type Caller,
  Reply,
  sendProgress,
  wantsProgress,
} from './admin-api.ts'
import { CallerGone, LONG_BODY_BYTES, MAX_BODY_BYTES, parseBody, readBody } from './body.ts'
import { mayStill, sendStreamed, watchCaller } from './caller-watch.ts'
import { LIVE_HEADERS, streamLive } from './live.ts'
import { MAP_TILES, type OpenTiles, sendTiles } from './map-tiles.ts'
import { type AdminRoute, findAdminRoute, WATCH } from './operations/admin-operations.ts'

const NOBODY: Actor = {
  ...{ account: null, roles: [], session: null, endsAt: null },
  issuer: { account: null, token: null },
}
const EMPTY = Buffer.alloc(0)
const NEVER = new AbortController().signal
const DESCRIPTION = '/openapi.json'
/** The account of bodies that are about no organization, or about all. */
const NO_ORGANIZATION = 0

/** The result of sending a body. Undefined if it was handed over at once. */
type Sending = Promise<boolean> | undefined

/** Answers a request to the operator's API. Never rejects. `isWaiting`: the client waits for leave to send its body. */
export async function answerAdmin(
  api: AdminApi,
  message: IncomingMessage,
  response: ServerResponse,
  isWaiting: boolean,
): Promise<void> {
  try {
    const [target = '', query] = message.url!.split(/\?(.*)/s)
    const path = target.slice(ADMIN_PREFIX.length)
    // HEAD is answered like GET. Node leaves the body out.
    const method = message.method === 'HEAD' ? 'GET' : message.method!
    const route = findAdminRoute(method, path)
    const isOpen = !(route instanceof Refused) && route.operation.takesSignedForm
    if (!isOpen) refuseForeign(message, api.about.consoleUrl)
    if (path === DESCRIPTION && method === 'GET') {
      await sendText(response, 200, openapi())
      return
    }
    if (route instanceof Refused) throw route
    const asked = { api, message, response, isWaiting, route, query: new URLSearchParams(query) }
    const caller = await admittedBy(asked)
    const owner = route.params.organization ?? NO_ORGANIZATION
    if (route.operation.takes === 'file') return await answerFile(asked, owner)
    using held = api.holdMemory(owner)
    const body =
      route.operation.takes === undefined
        ? EMPTY
        : await bodyIn(asked, mostBytes(route.operation), held)
    const work = async () => {
      const call = await callOf(asked, caller, NEVER, body)
      return { call, answered: await route.operation.run(call) }
    }
    const { call, answered } = await (body.length > LONG_BODY_BYTES
      ? api.inReadingTurn(owner, work)
      : work())
    if (route.operation === WATCH) return watch(call, message, response)
    if (route.operation === MAP_TILES) {
      return await sendTiles(answered as OpenTiles, message, response)
    }
    if (answered instanceof StreamedReply) {
      const watch = watchCaller(api, message, response, route)
      return await sendStreamed(answered, message, response, watch)
    }
    await send(response, route.operation, answered)
  } catch (error) {
    if (response.headersSent || error instanceof CallerGone) response.destroy()
    else await sendRefusal(api, response, error)
  } finally {
    // An unread body would block the connection for the next request.
    discardBody(message)
  }
}

/** Few files are read at once, because each takes memory and time. The work on a file ends with its caller. */
async function answerFile(asked: Asked, owner: number): Promise<void> {
  const { api, message, response, route } = asked
  using held = api.holdFiles(owner)
  const { signal, stop } = watchCaller(api, message, response, route)
  const receive = () => bodyIn(asked, MAX_BODY_BYTES.file, held)
  const work = async (file: Buffer) => route.operation.run(await callOf(asked, null, signal, file))
  try {
    const answered = await api.uploads(owner, receive, work)
    if (signal.reason instanceof Refused) throw signal.reason
    if (!wantsProgress(message)) return void (await send(response, route.operation, answered))
    sendProgress(response, { summary: answered })
    response.end()
  } catch (thrown) {
    const error = (thrown as Error).name === 'AbortError' ? signal.reason : thrown
    if (!response.headersSent || error instanceof CallerGone) throw error
    sendProgress(response, { error: refusalOf(api, response, error).body })
    response.end()
  } finally {
    stop()
  }
}

/**
 * A stream lives longer than the checks at its start, so the watcher's access is checked again and again.
 */
function watch(
  { api, params, disclosed }: Call,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  if (message.method === 'HEAD') return void response.writeHead(200, LIVE_HEADERS).end()
  const isLetIn = async () => mayStill(api, message, WATCH, params)
  streamLive(api.live, params.organization!, response, isLetIn, disclosed)
}

/** A request with a known path. */
type Asked = {
  api: AdminApi
  message: IncomingMessage
  response: ServerResponse
  /** Whether the client waits for leave to send its body. */
  isWaiting: boolean
  route: AdminRoute
  query: URLSearchParams
}

function bodyIn({ message, response, isWaiting }: Asked, most: number, held: HeldMemory) {
  return readBody(message, most, held, () => isWaiting && response.writeContinue())
}

async function callOf(
  asked: Asked,
  by: Caller | null,
  signal: AbortSignal,
  file: Buffer,
): Promise<Call> {
  const { api, message, response, route, query } = asked
  const { operation, params } = route
  const { takes } = operation
  const address = api.addressOf(message)
  // The session or token may have ended while the body came, which can take two minutes.
  const caller = takes === undefined ? by : await admittedBy(asked)
  const actor = actorOf(caller)
  const contentType = (message.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  return {
    api,
    store:
      caller === null ? api.store : api.storeAs(caller.actor, address, isOperator(caller.roles)),
    by: actor,
    caller,
    params,
    query,
    known: api.known,
    disclosed: api.disclosing(actor, params.organization ?? NO_ORGANIZATION),
    body: await bodyOf(operation, file),
    inTurn: api.inTurn,
    file,
    signal,
    onProgress(progress) {
      if (wantsProgress(message)) sendProgress(response, { progress })
    },
    contentType,
    address,
    device: deviceOf(api, message),
    host: message.headers.host ?? '',
    cookies: (kind) => cookiesOf(api.about, message, kind),
    userAgent: message.headers['user-agent'] ?? '',
    now: api.clock.now(),
  }
}

function actorOf(caller: Caller | null): Actor {
  if (caller === null) return NOBODY
  const { account, roles, credential } = caller
  const isToken = credential.kind === 'token'
  const issuer =
    account === null
      ? { account: credential.issuedBy, token: credential.id }
      : { account: account.id, token: null }
  const session = isToken ? null : credential
  return { account, roles, issuer, session, endsAt: isToken ? credential.expiresAt : null }
}

/** The members of a body. A file has none. */
async function bodyOf({ takes, takesSignedForm: isForm }: AdminOperation, body: Buffer) {
  if (isForm) return Object.fromEntries(new URLSearchParams(body.toString()))
  return takes === undefined || takes === 'file' ? {} : runInTurns(parseBody(body))
}

/** The caller, if the operation is open to it; throws `Refused` if not. Null: nobody has signed in. */
async function admittedBy({ api, message, response, route }: Asked): Promise<Caller | null> {
  const { operation, params } = route
  const caller = await callerOf(api, message)
  if (operation.who === 'everybody') return caller
  if (caller === null) {
    await api.denied(message, operation.id, String(response.getHeader(REQUEST_ID)))
    throw signedOut()
  }
  admit(caller, operation, params)
  return caller
}

/** A caller who has not signed in sends a password and nothing larger. */
function mostBytes({ who }: AdminOperation): number {
  return who === 'everybody' ? MAX_BODY_BYTES.open : MAX_BODY_BYTES.json
}

/** The answer of an operation. An act that is not described to answer may have one for the command line alone. */
function send(
  response: ServerResponse,
  { status, answers }: AdminOperation,
  answered: unknown,
): Sending {
  const isReply = answered instanceof Reply || answered instanceof JsonReply
  const reply = isReply ? answered : new Reply(answered, {})
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value)
  if (reply instanceof JsonReply) return sendText(response, status, reply.text)
  if (answers !== null) return sendJson(response, status, reply.body)
  response.writeHead(status).end()
}

function sendRefusal(api: AdminApi, response: ServerResponse, error: unknown): Sending {
  const { status, headers, body } = refusalOf(api, response, error)
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  return sendJson(response, status, body)
}

type Refusal = { status: number; headers: Readonly<Record<string, string>>; body: object }

/** The answer to a request that failed. Logs a failure that the caller cannot fix. */
function refusalOf(api: AdminApi, response: ServerResponse, error: unknown): Refusal {
  if (error instanceof Refused) {
    const { status, code, message, field, headers } = error
    return { status, headers, body: { code, message, field } }
  }
  api.failed(error, String(response.getHeader(REQUEST_ID)))
  if (error instanceof StoreUnavailable || error instanceof QuotaUnavailable) {
    const message = 'the server is temporarily unavailable; try again in a moment'
    const body = { code: 'unavailable', message, field: null }
    return { status: 503, headers: { 'Retry-After': '5' }, body }
  }
  const message = 'internal server error; see the log'
  return { status: 500, headers: {}, body: { code: 'internal', message, field: null } }
}

function sendJson(response: ServerResponse, status: number, body: unknown): Sending {
  return sendText(response, status, toJson(body))
}

/** `json`: text, or its bytes. */
function sendText(response: ServerResponse, status: number, json: string | Buffer): Sending {
  if (!response.hasHeader('Content-Type')) {
    response.setHeader('Content-Type', 'application/json; charset=utf-8')
  }
  response.writeHead(status)
  return sendWhole(response, json)
}

const WRITTEN = new URL('../../../admin-openapi.json', import.meta.url)

let description: Buffer | undefined

/**
 * The description of the operator's API as JSON, written by `npm run openapi`. Its bytes are read on
 * first use and shared by all answers.
 */
export function openapi(): Buffer {
  description ??= Buffer.from(JSON.stringify(JSON.parse(readFileSync(WRITTEN, 'utf8'))))
  return description
}
