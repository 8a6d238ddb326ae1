import { isIP, type LookupFunction, type Socket } from 'node:net'
import { type IsReachable, NotResolved, type Resolve } from './resolve-addresses.ts'

/** Rejects or ends a connection to an address that is not allowed. */
export class NotReachable extends Error {
  override name = 'NotReachable'

  constructor(address: string, isPlain: boolean) {
    super(
      isPlain
        ? `${address} is not in an allowed network, which a URL without TLS needs`
        : `${address} is not a public address, and not in an allowed network`,
    )
  }
}

class TooLong extends Error {
  override name = 'TooLong'

  constructor() {
    super('the answer is too long')
  }
}

/** Which addresses a connection may have, and how names are resolved. `isPlain`: the connection has no TLS. */
export type Reach = { isReachable: IsReachable; isPlain: boolean; resolve: Resolve }

/** The host of a URL, as sockets take it. Throws if it is a forbidden address: Node.js resolves only names. */
export function checkedHost({ hostname }: URL, { isReachable, isPlain }: Reach): string {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) > 0 && !isReachable(host)) throw new NotReachable(host, isPlain)
  return host
}

/** Resolves a name to reachable addresses only. */
export function checkedLookup(
  { resolve, isReachable, isPlain }: Reach,
  signal: AbortSignal,
): LookupFunction {
  return (host, { all }, done) => {
    resolve(host, signal).then(
      (found) => {
        const addresses = found
          .filter(isReachable)
          .map((address) => ({ address, family: isIP(address) }))
        const [first] = addresses
        if (first === undefined) done(new NotReachable(found.join(', ') || host, isPlain), '')
        else if (all) done(null, addresses)
        else done(null, first.address, first.family)
      },
      (error) => done(error, ''),
    )
  }
}

/** Ends a connection whose socket has a forbidden address after all. `end` takes the reason. */
export function checkAddress(
  socket: Socket,
  { isReachable, isPlain }: Reach,
  end: (reason: Error) => void,
): void {
  socket.once('connect', () => {
    const address = socket.remoteAddress
    // Without an address, the receiver has closed the connection already, and nothing is sent.
    if (address !== undefined && !isReachable(address)) end(new NotReachable(address, isPlain))
  })
}

/** No more of an answer is read, its headers included. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Ends a connection whose answer is too long. Returns a function that stops the count. */
export function boundAnswer(socket: Socket, end: (reason: Error) => void): () => void {
  let bytes = 0
  const count = ({ length }: Buffer) => {
    bytes += length
    if (bytes > MAX_ANSWER_BYTES) end(new TooLong())
  }
  socket.on('data', count)
  return () => socket.off('data', count)
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  ETIMEDOUT: 'the connection could not be opened in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
}

/** Without the URL, which may hold a secret. */
export function reasonOf(error: Error & { code?: unknown }): string {
  const isOwn = [NotReachable, NotResolved, TooLong].some((kind) => error instanceof kind)
  if (isOwn) return error.message
  if (error.name === 'AbortError') return 'the server stopped'
  const code = typeof error.code === 'string' ? error.code : ''
  return REASONS[code] ?? (code === '' ? 'the connection failed' : `the connection failed: ${code}`)
}
