import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { auditedStore } from '../../acts/audit/audited-store.ts'
import { openDisclosing } from '../../acts/disclosing.ts'
import type { Known } from '../../acts/known.ts'
import { passedOn } from '../../base/domain/common/passed-on.ts'
import { oneAfterAnother, openTurns } from '../../base/domain/common/slots.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { AddressOf } from '../../base/http/client-address.ts'
import { type Answers, openHttpServer, type RequestHandler } from '../../base/http/http-server.ts'
import {
  type ListenerLog,
  type LoggedLimits,
  newRequestId,
  REQUEST_ID,
} from '../../base/http/listener-log.ts'
import { openHeldMemory } from '../../base/http/request-body.ts'
import { sendWhole } from '../../base/http/send-whole.ts'
import { type InputFault, refuseInput } from '../../base/http/socket-answer.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { Realtime } from '../../data/live/realtime.ts'
import type { DisclosureCounts } from '../../data/usage/disclosure-counts.ts'
import type { UsageCounts } from '../../data/usage/usage-counts.ts'
import type { ChangeWatch } from '../../engine/changes/change-watch.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { isOwnHost, openDenied } from './access/authenticate-caller.ts'
import { openSignIns } from './access/sign-ins.ts'
import type { SignOnSettings } from './access/sign-on-settings.ts'
import { ADMIN_PREFIX, type AdminApi, type ServerFacts } from './admin-api.ts'
import { answerAdmin } from './answer.ts'
import { boundedUploads, openFileMemory } from './body.ts'
import type { ConsoleFiles } from './console-files.ts'
import { openLive } from './live.ts'
import { openSignOn } from './sign-on/sign-on.ts'
import { type CountingParts, openStoredCounts } from './stored-counts.ts'

/*
 * The listener of the operator, and the parts of its API.
 */

type AdminParts = {
  store: Store
  realtime: Realtime
  directory: Directory
  changeWatch: ChangeWatch
  usage: UsageCounts
  disclosures: DisclosureCounts
  knownAddresses: Known['addresses']
  lastPacking: CountingParts['lastPacking']
  about: ServerFacts
  /** Null: single sign-on is not configured. */
  signOn: SignOnSettings | null
  clock: Clock
  addressOf: AddressOf
  /** Writes a line of the log. `members` are members of a JSON object, as text. */
  line(members: string): void
  failed: AdminApi['failed']
}

/** An import's rows of one transaction: some 25 ms, in which the process of a data folder answers nobody. */
const SERVING_ROWS = 500

/** The console's parts in a process with the role `admin`. */
export function openAdminApi(parts: AdminParts): AdminApi {
  const { store, clock, directory, changeWatch, signOn, failed } = parts
  const { objects } = store
  const signIns = openSignIns(parts)
  const unguarded = [
    'list',
    'pages',
    'find',
    'named',
    'delete',
    'trackerMoves',
    'ofOrganization',
  ] as const
  const ofOrganizations: Store = {
    ...store,
    objects: { ...passedOn(objects, unguarded), ...objects.ofOrganization },
  }
  return {
    ...parts,
    storeAs: (actor, address, isOperator) =>
      auditedStore(isOperator ? store : ofOrganizations, actor, clock, address, SERVING_ROWS),
    known: knownBy(parts),
    disclosing: openDisclosing(parts.disclosures, clock),
    rules: foldRules(clock),
    live: openLive({ changeLog: store.changeLog, changeWatch, directory, clock, failed }),
    storedCounts: openStoredCounts(parts),
    signIns,
    signOn: signOn && openSignOn(signOn, { store, clock, signIns }),
    denied: openDenied(parts),
    inTurn: oneAfterAnother(),
    holdMemory: openHeldMemory(),
    holdFiles: openFileMemory(),
    // Long bodies take half of the time at most: their parsing makes the garbage collector stop all others.
    inReadingTurn: openTurns(1, 1, 1),
    uploads: boundedUploads(),
  }
}

function knownBy({ directory, usage, disclosures, knownAddresses }: AdminParts): Known {
  return {
    addresses: knownAddresses,
    async fleetOf(organization) {
      await directory.catchUp()
      return directory.fleetOf(organization)
    },
    async writeCounts() {
      await usage.write()
      await disclosures.write()
      await directory.writeLastUses()
    },
  }
}

/**
 * The readiness and metrics that the operator's listener reports: of one process, or of several that
 * share their ports.
 */
export type AdminProbes = {
  metrics: { text(): Promise<string>; readonly contentType: string }
  isReady(): boolean | Promise<boolean>
}

/** The console and its API. Null if this process does not have that role. */
export type Console = { api: AdminApi; files: ConsoleFiles | null }

export type AdminListener = { readonly address: AddressInfo; close(): Promise<void> }

/** The names of this listener, and of the console's configured address. */
type AdminPlace = { host: string; port: number; consoleUrl: string | null }

/** Importing a file may take a while. */
const HTTP_OPTIONS = {
  requestTimeout: 120_000,
  // `answer` checks it: Node's own answer to a missing Host has no id.
  requireHostHeader: false,
}

/**
 * The operator's listener: `/metrics` (Prometheus), `/health` (the process answers), `/ready` (it can
 * serve: 200, else 503), the operator's API and, on every other path, the console. All of them answer
 * only to this machine's own names.
 */
export async function listenAdmin(
  { metrics, isReady }: AdminProbes,
  console: Console | null,
  { host, port, consoleUrl }: AdminPlace,
  limits: LoggedLimits,
): Promise<AdminListener> {
  const names = consoleUrl === null ? [host] : [host, new URL(consoleUrl).hostname]

  async function answer(
    message: IncomingMessage,
    response: ServerResponse,
    isWaiting: boolean,
  ): Promise<void> {
    const id = newRequestId()
    const failed = (error: unknown) => console?.api.failed(error, id)
    response.setHeader(REQUEST_ID, id)
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader('Cache-Control', 'no-store')
    // A client that waited for leave may send its body or not, so nobody knows what comes next.
    if (isWaiting) response.setHeader('Connection', 'close')
    if (message.headers.host === undefined && message.httpVersion === '1.1') {
      response.setHeader('Connection', 'close')
      const logged = limits.unreadable(message.socket.remoteAddress ?? '', 400, 'no Host')
      if (logged === undefined) response.removeHeader(REQUEST_ID)
      else response.setHeader(REQUEST_ID, logged)
      return sendStatus(response, 400, 'the Host header is missing')
    }
    if (!isOwnHost(message.headers.host, names)) return sendForeignHost(response)
    const path = (message.url ?? '/').split('?')[0]!
    if (console !== null && path.startsWith(`${ADMIN_PREFIX}/`)) {
      return answerAdmin(console.api, message, response, isWaiting)
    }
    if (message.method !== 'GET' && message.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return sendStatus(response, 405, 'method not allowed')
    }
    switch (path) {
      case '/metrics':
        return sendMetrics(response, metrics, failed)
      case '/health':
        return sendStatus(response, 200, 'ok')
      case '/ready':
        return sendReadiness(response, isReady, failed)
      default:
        return sendConsole(console, message, response)
    }
  }

  const answerAtOnce: RequestHandler = (message, response) => answer(message, response, false)
  const answers: Answers = {
    request: answerAtOnce,
    checkContinue: (message, response) => answer(message, response, true),
    checkExpectation: answerAtOnce,
    refuse: (error, socket) => answerSocketError(error, socket, limits),
  }
  const server = await openHttpServer(HTTP_OPTIONS, answers, host, port, limits)
  return {
    address: server.address,
    close() {
      console?.api.live.close()
      return server.cut()
    },
  }
}

async function sendConsole(
  console: Console | null,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (console === null) sendStatus(response, 404, 'not found: /metrics, /health or /ready')
  else if (/^\/admin(\/|\?|$)/.test(message.url ?? ''))
    sendStatus(response, 404, `not found: the API is under ${ADMIN_PREFIX}`)
  else if (console.files !== null) await console.files(message, response)
  else
    sendStatus(
      response,
      404,
      "the console was not built: 'npm ci' builds it, with its development packages",
    )
}

type Failed = (error: unknown) => void

async function sendReadiness(
  response: ServerResponse,
  isReady: AdminProbes['isReady'],
  failed: Failed,
): Promise<void> {
  const ready = await Promise.try(isReady).catch(failed)
  if (ready === true) sendStatus(response, 200, 'ready')
  else sendStatus(response, 503, 'not ready')
}

async function sendMetrics(
  response: ServerResponse,
  metrics: AdminProbes['metrics'],
  failed: Failed,
): Promise<void> {
  const text = await Promise.try(() => metrics.text()).catch(failed)
  if (typeof text !== 'string') return sendStatus(response, 500, 'the metrics could not be read')
  response.setHeader('Content-Type', metrics.contentType)
  await sendWhole(response, text)
}

function sendForeignHost(response: ServerResponse): void {
  const message = "unknown host name: use an IP address, or set the name with 'serve --console-url'"
  response.writeHead(403, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ code: 'foreign_host', message, field: null }))
}

function sendStatus(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ status: text }))
}

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
