import type { ClientRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { openSlots, type Slots } from '../../base/domain/common/slots.ts'
import { MAX_WEBHOOKS } from '../../base/domain/webhook.ts'
import { type IsReachable, NotResolved, type Resolve } from './addresses.ts'

/** The result of a try. `failure`: null if the answer was 2xx, even if its body did not end in time. */
export type Sent = { status: number | null; failure: string | null }

export type Sender = {
  /**
   * Posts a body, and reads the answer to its end. Never rejects. The signal aborts it. Afterwards its connection
   * is closed.
   */
  send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<Sent>
  close(): void
}

export type SenderOptions = {
  isReachable: IsReachable
  resolve: Resolve
  /** Certificates of authorities in place of the system's. */
  ca?: Buffer
  answerWithinMs?: number
}

/** A try has this time in all, from the resolution of the name to the end of the answer. */
const ANSWER_WITHIN_MS = 15_000

/** No more of an answer is read, its headers included. It is thrown away. */
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * Sends over HTTPS only, follows no redirect, and connects only to addresses that were checked: `lookup` checks the
 * address of the connection, and the socket is checked again.
 */
export function openSender(options: SenderOptions): Sender {
  const { isReachable, resolve, ca, answerWithinMs = ANSWER_WITHIN_MS } = options
  // Its connections are closed after each try. It keeps TLS sessions, which make the next handshake short.
  const agent = new Agent({ keepAlive: false })

  /** Resolves with the status when the connection is closed, or rejects. */
  function post(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<number> {
    return new Promise((resolve_, reject) => {
      let status: number | undefined
      let failure = new Error('the connection was closed') as NodeJS.ErrnoException
      failure.code = 'ECONNRESET'
      const posting = request(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
        agent,
        lookup: checkedLookup(resolve, isReachable, signal),
        signal,
        ...(ca && { ca }),
      })
      posting.on('error', (error) => {
        failure = error
      })
      posting.on('socket', (socket) => guard(posting, socket, isReachable))
      posting.on('response', (answer) => {
        status = answer.statusCode!
        // Node.js would keep the connection for as long as the receiver does not read the whole request.
        answer.on('end', () => posting.destroy())
        answer.on('error', () => undefined)
        answer.resume()
      })
      posting.on('close', () => (status === undefined ? reject(failure) : resolve_(status)))
      posting.end(body)
    })
  }

  return {
    async send(written, headers, body, signal) {
      const url = new URL(written)
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (url.protocol !== 'https:') return failed('only HTTPS is supported')
      // A name is checked when it is resolved. Node.js does not resolve an address.
      if (isIP(host) > 0 && !isReachable(host)) return failed(new NotReachable(host).message)
      const late = AbortSignal.timeout(answerWithinMs)
      try {
        const status = await post(url, headers, body, AbortSignal.any([signal, late]))
        return { status, failure: failureOf(status) }
      } catch (error) {
        if (late.aborted) return failed(`no answer within ${answerWithinMs / 1_000} s`)
        return failed(reasonOf(error as Error))
      }
    },
    close: () => agent.destroy(),
  }
}

/** Ends a try if its socket has a forbidden address, or if its answer is too long. */
function guard(posting: ClientRequest, socket: Socket, isReachable: IsReachable): void {
  socket.once('connect', () => {
    const address = socket.remoteAddress
    // Without an address, the receiver has closed the connection already, and nothing is sent.
    if (address === undefined || isReachable(address)) return
    posting.destroy(new NotReachable(address))
  })
  let bytes = 0
  socket.on('data', ({ length }: Buffer) => {
    bytes += length
    if (bytes > MAX_ANSWER_BYTES) posting.destroy(new TooLong())
  })
}

class NotReachable extends Error {
  override name = 'NotReachable'

  constructor(address: string) {
    super(`${address} is not a public address, and not in an allowed network`)
  }
}

class TooLong extends Error {
  override name = 'TooLong'

  constructor() {
    super('the answer is too long')
  }
}

/** Resolves a name to reachable addresses only. */
function checkedLookup(
  resolve: Resolve,
  isReachable: IsReachable,
  signal: AbortSignal,
): LookupFunction {
  return (host, { all }, done) => {
    resolve(host, signal).then(
      (found) => {
        const addresses = found
          .filter(isReachable)
          .map((address) => ({ address, family: isIP(address) }))
        const [first] = addresses
        if (first === undefined) done(new NotReachable(found.join(', ') || host), '')
        else if (all) done(null, addresses)
        else done(null, first.address, first.family)
      },
      (error) => done(error, ''),
    )
  }
}

function failed(failure: string): Sent {
  return { status: null, failure }
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const isRedirect = status >= 300 && status < 400
  return isRedirect ? `answered ${status}; redirects are not followed` : `answered ${status}`
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  ETIMEDOUT: 'the connection could not be opened in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
}

/** Without the URL, which may hold a secret. */
function reasonOf(error: Error & { code?: string }): string {
  const isOwn = [NotReachable, NotResolved, TooLong].some((kind) => error instanceof kind)
  if (isOwn) return error.message
  if (error.name === 'AbortError') return 'the server stopped'
  const { code = '' } = error
  return REASONS[code] ?? (code === '' ? 'the connection failed' : `the connection failed: ${code}`)
}

/** A limited number of deliveries that are under way, which organizations share. */
export type DeliverySlots = {
  /**
   * Resolves with a function that frees the slot, when it is the organization's turn. Resolves with null if the signal
   * aborts before.
   */
  take(
    organization: number,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Slots['take']>> | null>
}

/** The share that the deliveries of one organization may take, and at least one. */
const SHARE_OF_ORGANIZATION = 1 / 4

export function openDeliverySlots(inAll: number): DeliverySlots {
  const share = Math.max(1, Math.floor(inAll * SHARE_OF_ORGANIZATION))
  const slots = openSlots(inAll, Math.min(MAX_WEBHOOKS, share))
  return {
    // A wait fails only because of its signal.
    take: (organization, signal) => slots.take(organization, signal).catch(() => null),
  }
}
