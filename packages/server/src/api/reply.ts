import type { Language } from '../domain/organization.ts'
import type { Refusal } from '../domain/refusal.ts'
import { formatInstant } from '../domain/time.ts'
import { messageOf } from './messages/messages.ts'

/** An answer in the terms of HTTP, before it is compressed and written. */
export type Reply = {
  readonly status: number
  /** As name, value, name, value. */
  readonly headers: string[]
  readonly body: string | Buffer | AsyncIterable<Uint8Array> | undefined
  /** The bytes of a body that is text, where they have been counted. */
  readonly bytes?: number | undefined
  /** Whether the body is in the client's content coding already. */
  readonly isCoded?: boolean
  /** Whether the connection is to end with it. */
  readonly close: boolean
}

export const JSON_TYPE = 'application/json; charset=utf-8'
/** Nobody is to take an answer for anything but what its type says. */
export const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const

/**
 * A refusal with the contract's error body. `headers`: those of limits, as name, value, name, value;
 * `now`: milliseconds since the epoch.
 */
export function refusalReply(
  refusal: Refusal,
  headers: string[],
  language: Language,
  now: number,
): Reply & { body: string } {
  const all = [
    'Content-Type',
    JSON_TYPE,
    'Content-Language',
    language,
    'Vary',
    'Accept-Language',
    'Cache-Control',
    'no-store',
    ...NO_SNIFFING,
    ...headers,
  ]
  for (const [name, value] of Object.entries(refusal.headers ?? {})) all.push(name, value)
  const body = JSON.stringify({
    statusCode: refusal.status,
    errorCode: refusal.errorCode,
    message: messageOf(refusal, language),
    timestamp: formatInstant(now),
  })
  return { status: refusal.status, headers: all, body, close: refusal.close ?? false }
}
