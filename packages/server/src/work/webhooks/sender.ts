import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { shownAnswer } from './answer-text.ts'
import {
  boundAnswer,
  checkAddress,
  checkedHost,
  checkedLookup,
  type Reach,
  reasonOf,
} from './checked-connection.ts'
import { publishAll } from './mqtt-sender.ts'
import type { IsOver, Outgoing, OutgoingRequest, Sender, Sent } from './outgoing.ts'
import type { IsReachable, Resolve } from './resolve-addresses.ts'

export type SenderOptions = {
  isReachable: IsReachable
  /** Where messages without TLS may go. Absent: nowhere. */
  isAllowed?: IsReachable
  resolve: Resolve
  /** Certificates of authorities in place of the system's. */
  ca?: Buffer
  answerWithinMs?: number
}

/**
 * A request has this time in all, from the resolution of the name to the end of the answer, and a try begins no other one
 * after it.
 */
const ANSWER_WITHIN_MS = 15_000

/** The part of an answer in which its text for the operator is looked for. */
const KEPT_ANSWER_BYTES = 4 * 1024

type Answer = { status: number; text: Buffer }

/**
 * Follows no redirect, and connects only to addresses that were checked: `lookup` checks the address of the connection,
 * and the socket is checked again.
 */
export function openSender(options: SenderOptions): Sender {
  const { isReachable, isAllowed = () => false, ca, answerWithinMs = ANSWER_WITHIN_MS } = options
  // Its connections are closed after each request. It keeps TLS sessions, which make the next handshake short.
  const single = new HttpsAgent({ keepAlive: false })

  async function sendRequests(
    url: URL,
    { requests, hidden }: Extract<Outgoing, { requests: unknown }>,
    reach: Reach,
    signal: AbortSignal,
    isOver: IsOver,
  ): Promise<Sent> {
    const { isPlain } = reach
    const isKept = requests.length > 1
    const options = { keepAlive: isKept, maxSockets: 1 }
    const agent = isPlain ? new HttpAgent(options) : isKept ? new HttpsAgent(options) : single
    const sent: Sent = { status: null, failure: null, arrived: 0 }
    const began = performance.now()
    try {
      checkedHost(url, reach)
      for (const request of requests) {
        if (sent.arrived > 0 && (performance.now() - began >= answerWithinMs || isOver())) break
        const late = AbortSignal.timeout(answerWithinMs)
        const ended = AbortSignal.any([signal, late])
        const asking = { agent, isKept, ca, reach, signal: ended }
        const answer = await askOnOpen(request, asking).catch((error) => {
          throw late.aborted ? new Late(answerWithinMs) : error
        })
        sent.status = answer.status
        sent.failure = failureOf(answer, hidden)
        if (sent.failure !== null) break
        sent.arrived += 1
      }
      return sent
    } catch (error) {
      const failure = error instanceof Late ? error.message : reasonOf(error as Error)
      return { ...sent, status: null, failure }
    } finally {
      if (agent !== single) agent.destroy()
    }
  }

  return {
    async send(outgoing, signal, isOver = () => false) {
      const url = new URL(outgoing.url)
      const isPlain = url.protocol === 'http:' || url.protocol === 'mqtt:'
      const reach = {
        isReachable: isPlain ? isAllowed : isReachable,
        isPlain,
        resolve: options.resolve,
      }
      if ('requests' in outgoing) return sendRequests(url, outgoing, reach, signal, isOver)
      const publishing = { ...outgoing, url, reach, ca, withinMs: answerWithinMs }
      return publishAll(publishing, signal, isOver)
    },
    close: () => single.destroy(),
  }
}

/** No answer came in time. */
class Late extends Error {
  constructor(withinMs: number) {
    super(`no answer within ${withinMs / 1_000} s`)
  }
}

type Asking = {
  agent: HttpAgent
  /** Whether another request follows over the connection. */
  isKept: boolean
  ca: Buffer | undefined
  reach: Reach
  signal: AbortSignal
}

/** The receiver had closed a connection that was kept for this request. */
class Closed extends Error {}

/** Asks over a new connection if the receiver has closed the one that was kept. */
function askOnOpen(outgoing: OutgoingRequest, asking: Asking): Promise<Answer> {
  return ask(outgoing, asking).catch((error) => {
    if (error instanceof Closed) return ask(outgoing, asking)
    throw error
  })
}

/** Resolves with the answer when it has ended, or rejects. */
function ask(
  outgoing: OutgoingRequest,
  { agent, isKept, ca, reach, signal }: Asking,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let status: number | undefined
    const text: Buffer[] = []
    let failure = new Error('the connection was closed') as NodeJS.ErrnoException
    failure.code = 'ECONNRESET'
    const { method, url, headers, body } = outgoing
    const length = body === null ? {} : { 'content-length': body.length }
    const asking = (reach.isPlain ? requestHttp : requestHttps)(url, {
      method,
      headers: { ...headers, ...length },
      agent,
      lookup: checkedLookup(reach, signal),
      signal,
      ...(ca && { ca }),
    })
    asking.on('error', (error) => {
      failure = error
    })
    asking.on('socket', (socket) => guard(asking, socket, reach))
    asking.on('response', (answer) => {
      status = answer.statusCode!
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        if (bytes < KEPT_ANSWER_BYTES) text.push(chunk)
        bytes += chunk.length
      })
      // Node.js would keep the connection for as long as the receiver does not read the whole request.
      answer.on('end', () => {
        if (!isKept) asking.destroy()
      })
      answer.on('error', () => undefined)
    })
    asking.on('close', () => {
      if (status !== undefined) return resolve({ status, text: Buffer.concat(text) })
      reject(asking.reusedSocket && failure.code === 'ECONNRESET' ? new Closed() : failure)
    })
    asking.end(body ?? undefined)
  })
}

/** Ends a request if its socket has a forbidden address, or if its answer is too long. */
function guard(asking: ClientRequest, socket: Socket, reach: Reach): void {
  if (!asking.reusedSocket) checkAddress(socket, reach, (reason) => asking.destroy(reason))
  asking.on(
    'close',
    boundAnswer(socket, (reason) => asking.destroy(reason)),
  )
}

function failureOf({ status, text }: Answer, hidden: readonly string[]): string | null {
  if (status >= 200 && status < 300) return null
  const isRedirect = status >= 300 && status < 400
  if (isRedirect) return `answered ${status}; redirects are not followed`
  const shown = shownAnswer(text.toString(), hidden)
  return shown === '' ? `answered ${status}` : `answered ${status}: ${shown}`
}
