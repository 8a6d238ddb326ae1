import { RATE_WINDOW, type RateVerdict } from '../access/rate-window.ts'

const SECOND_US = 1_000_000
const LIMIT = String(RATE_WINDOW.requests)
const POLICY = `"default";q=${RATE_WINDOW.requests};w=${RATE_WINDOW.spanUs / SECOND_US}`

/**
 * The rate window in the headers of an authenticated answer: `X-RateLimit-*`, which most clients know,
 * and the IETF's `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). As name,
 * value, name, value.
 */
export function rateHeaders({ remaining, resetUs }: RateVerdict): string[] {
  const reset = wholeSeconds(resetUs)
  return [
    'X-RateLimit-Limit',
    LIMIT,
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
    'RateLimit-Policy',
    POLICY,
    'RateLimit',
    `"default";r=${remaining};t=${reset}`,
  ]
}

/** A wait in whole seconds, rounded up, so that a client that waits this long is admitted. */
export function wholeSeconds(waitUs: number): number {
  return Math.ceil(waitUs / SECOND_US)
}
