import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { KeyHeaders } from '../../base/access/authenticate-key.ts'
import { newRequestId } from '../../base/http/listener-log.ts'

/** The parts of an HTTP request on which an answer can depend. */
export type ApiRequest = KeyHeaders & {
  /** Our own. An `X-Request-Id` of the client is not read: nobody has checked it. */
  id: string
  method: string
  /** The raw request target, without scheme and authority. */
  target: string
  accept: string | undefined
  acceptEncoding: string | undefined
  acceptLanguage: string | undefined
  ifNoneMatch: string | undefined
  lastEventId: string | undefined
  /**
   * False for a request that must not be trusted although Node's parser accepted it: its `Host` is
   * missing, repeated or malformed (RFC 9112, 3.2), or it claims another version of HTTP.
   */
  isSound: boolean
  hasBody: boolean
  /** The connection of the request. */
  connection: Socket
  /** When it came, by the monotonic clock. */
  startedUs: number
}

/**
 * Reads the raw headers once. Node joins a repeated `x-api-key` into one value and drops a repeated
 * `Authorization`, so its own view does not show whether there were two keys.
 */
export function readRequest(message: IncomingMessage, startedUs: number): ApiRequest {
  const request: ApiRequest = {
    id: newRequestId(),
    method: message.method ?? '',
    target: originForm(message.url ?? ''),
    apiKeys: [],
    authorizations: [],
    accept: undefined,
    acceptEncoding: undefined,
    acceptLanguage: undefined,
    ifNoneMatch: undefined,
    lastEventId: undefined,
    isSound: false,
    hasBody: false,
    connection: message.socket,
    startedUs,
  }
  let hosts = 0
  let host = ''
  const { rawHeaders } = message
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1]!
    switch (rawHeaders[i]!.toLowerCase()) {
      case 'x-api-key':
        request.apiKeys.push(value)
        break
      case 'authorization':
        request.authorizations.push(value)
        break
      case 'accept':
        request.accept = joined(request.accept, value)
        break
      case 'accept-encoding':
        request.acceptEncoding = joined(request.acceptEncoding, value)
        break
      case 'accept-language':
        request.acceptLanguage = joined(request.acceptLanguage, value)
        break
      case 'if-none-match':
        request.ifNoneMatch = joined(request.ifNoneMatch, value)
        break
      case 'last-event-id':
        request.lastEventId = joined(request.lastEventId, value)
        break
      case 'host':
        hosts++
        host = value
        break
      case 'content-length':
        request.hasBody ||= value !== '0'
        break
      case 'transfer-encoding':
        request.hasBody = true
        break
    }
  }
  request.isSound = isSoundVersion(message, hosts) && isSoundHost(host)
  return request
}

function isSoundVersion({ httpVersion }: IncomingMessage, hosts: number): boolean {
  switch (httpVersion) {
    case '1.1':
      return hosts === 1
    case '1.0':
      return hosts <= 1
    default:
      return false
  }
}

/** `uri-host [":" port]` of RFC 3986, 3.2.2, or nothing. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/
let lastSoundHost = ''

function isSoundHost(host: string): boolean {
  if (host === lastSoundHost) return true
  if (!HOST.test(host)) return false
  lastSoundHost = host
  return true
}

/** `http://host/path` is as valid as `/path` (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target)
  if (absolute === null) return target
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

/**
 * The parameters of a query, each with all its values in order. A value with broken percent-encoding
 * stays as it is; a reader that needs digits or a time refuses it.
 */
export type Query = ReadonlyMap<string, readonly string[]>

const NO_QUERY: Query = new Map()

export function parseQuery(search: string): Query {
  if (search === '') return NO_QUERY
  const query = new Map<string, string[]>()
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decoded(pair.slice(equals + 1))
    const values = query.get(name)
    if (values === undefined) query.set(name, [value])
    else values.push(value)
  }
  return query
}

/** Whether each `%` begins an escaped octet, and the octets are UTF-8. */
export function isSoundlyEncoded(text: string): boolean {
  return !text.includes('%') || decodedOrUndefined(text) !== undefined
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? (decodedOrUndefined(spaced) ?? spaced) : spaced
}

/** Text in which each `%` begins a character of UTF-8 (RFC 3629, 4). */
const SOUND = new RegExp(
  `^[^%]*(?:%(?:${[
    '[0-7]H',
    '(?:C[2-9A-F]|DH)T',
    '(?:E0%[AB]H|ED%[89]H|E[1-9A-CEF]T)T',
    '(?:F0%[9AB]H|F4%8H|F[1-3]T)TT',
  ].join('|')})[^%]*)*$`
    .replaceAll('T', '%[89AB]H')
    .replaceAll('H', '[\\dA-F]'),
  'i',
)

/** Does not let `decodeURIComponent` throw, which takes 3 µs: a query has room for 28,000 broken parts. */
export function decodedOrUndefined(text: string): string | undefined {
  return SOUND.test(text) ? decodeURIComponent(text) : undefined
}
