import { lookup } from 'node:dns/promises'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { IsReachable } from './reachable.ts'

/** The result of a try. `failure`: null if the answer was 2xx. */
export type Sent = { status: number | null; failure: string | null }

export type Sender = {
  /** Posts a body. Never rejects. The signal aborts it. */
  send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<Sent>
  close(): void
}

/** The addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>

export type SenderOptions = {
  isReachable: IsReachable
  resolve?: Resolve
  /** Certificates of authorities in place of the system's. */
  ca?: Buffer
  answerWithinMs?: number
}

/** A receiver answers within this time. */
const ANSWER_WITHIN_MS = 15_000
/** More of an answer is not read. */
const MAX_ANSWER_BYTES = 64 * 1024
/** Idle connections are kept for the next delivery. */
const IDLE_MS = 60_000

/**
 * Sends over HTTPS only, follows no redirect, and connects only to addresses that were checked: the address
 * that is connected to is one that `lookup` has just let through, and is checked once more on the socket.
 */
export function openSender(options: SenderOptions): Sender {
  const { isReachable, ca, resolve = systemResolve } = options
  const { answerWithinMs = ANSWER_WITHIN_MS } = options
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' })

  /** Resolves with the status, or rejects. */
  function post(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<number> {
    return new Promise((resolve_, reject) => {
      const posting = request(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
        agent,
        lookup: checkedLookup(resolve, isReachable),
        signal,
        ...(ca && { ca }),
      })
      posting.on('error', (error) => {
        reject(posting.reusedSocket ? Object.assign(error, { wasReused: true }) : error)
      })
      posting.on('socket', (socket) => {
        const check = () => {
          const address = socket.remoteAddress ?? ''
          if (!isReachable(address)) posting.destroy(new NotReachable(address))
        }
        if (socket.connecting) socket.once('connect', check)
        else check()
      })
      posting.on('response', (answer) => {
        let bytes = 0
        answer.on('data', ({ length }: Buffer) => {
          bytes += length
          if (bytes > MAX_ANSWER_BYTES) answer.destroy()
        })
        answer.on('error', () => undefined)
        resolve_(answer.statusCode!)
      })
      posting.end(body)
    })
  }

  return {
    async send(written, headers, body, signal) {
      const url = new URL(written)
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (url.protocol !== 'https:') return failed('only HTTPS is used')
      // A name is checked when it is resolved. Node.js does not resolve an address.
      if (isIP(host) > 0 && !isReachable(host)) return failed(new NotReachable(host).message)
      const late = AbortSignal.timeout(answerWithinMs)
      const ended = AbortSignal.any([signal, late])
      for (let attempt = 1; ; attempt += 1) {
        try {
          const status = await post(url, headers, body, ended)
          return { status, failure: failureOf(status) }
        } catch (error) {
          // The receiver closed an idle connection at the same time.
          const { code, wasReused } = error as { code?: string; wasReused?: boolean }
          const isStale = wasReused === true && code === 'ECONNRESET'
          if (isStale && attempt === 1 && !ended.aborted) continue
          if (late.aborted) return failed(`no answer within ${answerWithinMs / 1_000} s`)
          return failed(reasonOf(error as Error))
        }
      }
    },
    close: () => agent.destroy(),
  }
}

class NotReachable extends Error {
  override name = 'NotReachable'

  constructor(address: string) {
    super(`${address} is no public address, and no allowed one`)
  }
}

async function systemResolve(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Resolves a name to reachable addresses only. */
function checkedLookup(resolve: Resolve, isReachable: IsReachable): LookupFunction {
  return (host, { all }, done) => {
    resolve(host).then(
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
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  ETIMEDOUT: 'the connection could not be opened in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
}

/** Without the URL, which may hold a secret. */
function reasonOf(error: Error & { code?: string }): string {
  if (error instanceof NotReachable) return error.message
  if (error.name === 'AbortError') return 'the server stopped'
  const { code = '' } = error
  return REASONS[code] ?? (code === '' ? 'the connection failed' : `the connection failed: ${code}`)
}
