import { excerpt } from '../../base/domain/common/plain-text.ts'
import type { Rejected } from './packet.ts'

/**
 * Every way in which the feed denies a request. A code is never reused; `docs/feed.md` lists them. Faults
 * of single rows are reported row by row, with the words of `PacketFault`.
 */
export type FeedRefusal = {
  readonly status: number
  readonly errorCode: `FEED.${number}_${string}`
  readonly message: string
  /** Headers of the refusal, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** The connection must close, because what follows on it cannot be trusted. */
  readonly close?: boolean
}

/** The largest body, packed and unpacked. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/**
 * The limit for formats whose body is one piece of JSON. Parsing holds up everything else: 256 KiB of the
 * worst JSON take 60 ms, and 8 MiB half a second.
 */
export const MAX_MESSAGE_BYTES = 256 * 1024

/** The limit for batches of phones, which are parsed in turns: 1,000 positions have some 700 KiB. */
export const MAX_BATCH_BYTES = 2 * 1024 * 1024
export const MAX_ROWS = 10_000

/** The most attributes of all rows of a request. The memory of an organization has room for them and the largest request. */
export const MAX_ATTRIBUTES = 50_000

/** `rule`: the required form of the body, and where the body breaks it. */
export function unreadable(rule: string): FeedRefusal {
  return { status: 400, errorCode: 'FEED.400_001', message: rule }
}

/** A fix that can never be accepted, with the reason of its row. */
export function rowRefused({ reason, message }: Rejected): FeedRefusal {
  return { status: 400, errorCode: 'FEED.400_002', message: `${reason}: ${message}` }
}

/** A fix that can be accepted later. */
export function rowDeferred({ reason, message }: Rejected): FeedRefusal {
  return {
    status: 429,
    errorCode: 'FEED.429_001',
    message: `${reason}: ${message}`,
    headers: { 'retry-after': '60' },
  }
}

export const brokenGzip: FeedRefusal = {
  status: 400,
  errorCode: 'FEED.400_003',
  message: 'The body is not valid gzip, although its Content-Encoding says so',
}

export const malformedRequest: FeedRefusal = {
  status: 400,
  errorCode: 'FEED.400_004',
  message: 'Malformed HTTP request',
  close: true,
}

export const unauthorized: FeedRefusal = {
  status: 401,
  errorCode: 'FEED.401_001',
  message:
    'A valid feed token is required: in x-feed-token, as Bearer, as the password of Basic, or in the path',
  headers: { 'www-authenticate': 'Bearer realm="feed", Basic realm="feed"' },
}

/** Without a comma before `or`. */
const LIST = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** `formats`: the last part of each path. */
export function pathNotFound(formats: readonly string[]): FeedRefusal {
  return {
    status: 404,
    errorCode: 'FEED.404_001',
    message: `This path does not exist: use /feed/v1/${LIST.format(formats)}`,
  }
}

/** `allow`: the methods of the path, as in the `Allow` header. */
export function methodNotAllowed(allow: string): FeedRefusal {
  return {
    status: 405,
    errorCode: 'FEED.405_001',
    message: `Method not allowed: use ${allow}`,
    headers: { allow },
  }
}

export const requestTimeout: FeedRefusal = {
  status: 408,
  errorCode: 'FEED.408_001',
  message: 'The request took too long: 5 s for its headers, 30 s for all of it',
  close: true,
}

export function bodyTooLarge(maxBytes: number): FeedRefusal {
  return {
    status: 413,
    errorCode: 'FEED.413_001',
    message: `A body of this format must have at most ${maxBytes} bytes, compressed and uncompressed`,
  }
}

export const tooManyRows: FeedRefusal = {
  status: 413,
  errorCode: 'FEED.413_002',
  message: `A request must have at most ${MAX_ROWS} rows`,
}

export const tooManyAttributes: FeedRefusal = {
  status: 413,
  errorCode: 'FEED.413_003',
  message: `A request must have at most ${MAX_ATTRIBUTES} attributes: send fewer rows at once`,
}

export function unknownCoding(coding: string): FeedRefusal {
  return {
    status: 415,
    errorCode: 'FEED.415_001',
    message: `Content-Encoding ${excerpt(coding)} is not supported: use gzip or none`,
    headers: { 'accept-encoding': 'gzip, identity' },
  }
}

export const expectationFailed: FeedRefusal = {
  status: 417,
  errorCode: 'FEED.417_001',
  message: 'Only the expectation 100-continue is supported',
  close: true,
}

export const headersTooLarge: FeedRefusal = {
  status: 431,
  errorCode: 'FEED.431_001',
  message: 'The headers are too large',
  close: true,
}

export const internal: FeedRefusal = {
  status: 500,
  errorCode: 'FEED.500_001',
  message: 'Internal error: it is unknown what was stored. Send the request again',
}

export const queueFull: FeedRefusal = {
  status: 503,
  errorCode: 'FEED.503_001',
  message:
    'The queue is full, for your organization or in total. Nothing of this request was stored: send it again',
  headers: { 'retry-after': '1' },
}

export const storeUnreachable: FeedRefusal = {
  status: 503,
  errorCode: 'FEED.503_002',
  message: 'The store is unavailable. Nothing was acknowledged: send it again',
  headers: { 'retry-after': '5' },
}
