import type { FetchImplementation } from 'jose'
import type { CustomFetchOptions } from 'openid-client'
import { boundedText, fetchFailure, isLoopback } from '../../domain/common/fetching.ts'
import { RefusedSignOn } from './refused-sign-on.ts'

/** Enough for the keys of any provider, and for a person in some thousand groups. */
const MAX_ANSWER_BYTES = 1 << 20
/** The requests of both libraries. */
type Options = CustomFetchOptions | Parameters<FetchImplementation>[1]
const WITHOUT_BODY = [204, 205, 304]

/**
 * Asks the provider, by HTTPS alone, and reads an answer of bounded length. The caller's signal bounds the time. Rejects with
 * `RefusedSignOn` if there is no answer, or one that says that the provider is down.
 */
export async function boundedFetch(target: string, options: Options): Promise<Response> {
  const url = trusted(target)
  const { status, headers, body } = await fetched(url, options)
  if (status >= 500) throw unavailable(url, `status ${status}`)
  return new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers })
}

/** The URL of an endpoint. Throws `RefusedSignOn` if what is sent there could be read or changed on its way. */
export function trusted(target: string): URL {
  const url = URL.parse(target)
  if (url !== null && (url.protocol === 'https:' || isOnThisMachine(url))) return url
  throw new RefusedSignOn('unavailable', `the provider names ${url?.origin}, which is not HTTPS`)
}

/** A provider for trials. */
export function isOnThisMachine({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return protocol === 'http:' && (host === 'localhost' || isLoopback(host))
}

async function fetched(url: URL, { signal, ...options }: Options) {
  try {
    const response = await fetch(url, { ...options, signal: signal ?? null } as RequestInit)
    const body = await boundedText(response.body, MAX_ANSWER_BYTES)
    return { status: response.status, headers: response.headers, body }
  } catch (error) {
    throw unavailable(url, fetchFailure(error))
  }
}

function unavailable({ origin }: URL, reason: string): RefusedSignOn {
  return new RefusedSignOn('unavailable', `${origin} does not answer: ${reason}`)
}
