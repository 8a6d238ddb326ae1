import type { Language } from '../domain/organization.ts'
import type { Refusal } from '../domain/refusal.ts'
import { formatInstant } from '../domain/time.ts'
import { messageOf } from './messages/messages.ts'

/** An HTTP answer before it is compressed and written. */
export type Reply = {
  readonly status: number
  /** As name, value, name, value. */
  readonly headers: string[]
  readonly body: string | Buffer | AsyncIterable<Uint8Array> | undefined
  /** The length in bytes of a text body, if known. */
  readonly bytes?: number | undefined
  /** Whether the body has the client's content coding already. */
  readonly isCoded?: boolean
  /** Whether to end the connection with it. */
  readonly close: boolean
}

export const JSON_TYPE = 'application/json; charset=utf-8'
/** Browsers must not guess another content type. */
export const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const

/**
 * A refusal with the contract's error body. `headers`: those of limits, as name, value, name, value.
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
