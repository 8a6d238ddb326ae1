import { RATE_WINDOW, type RateVerdict } from '../access/rate-window.ts'

const SECOND_US = 1_000_000
const LIMIT = String(RATE_WINDOW.requests)
const POLICY = `"default";q=${RATE_WINDOW.requests};w=${RATE_WINDOW.spanUs / SECOND_US}`

/** By what remains and the seconds until a slot frees, most of which any server tells all the time. */
const told = new Map<number, string>()
const MOST_SECONDS = 1_000

function rateLimit(remaining: number, reset: number): string {
  const known = told.get(remaining * MOST_SECONDS + reset)
  if (known !== undefined) return known
  const made = `"default";r=${remaining};t=${reset}`
  if (reset < MOST_SECONDS) told.set(remaining * MOST_SECONDS + reset, made)
  return made
}

/**
 * What an authenticated answer tells of the rate window: the `X-RateLimit-*` fields that most
 * clients know, and the IETF's `RateLimit-Policy` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers). As name, value, name, value.
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
    rateLimit(remaining, reset),
  ]
}

/** A wait in whole seconds, rounded up, so that who waits that long is admitted. */
export function wholeSeconds(waitUs: number): number {
  return Math.ceil(waitUs / SECOND_US)
}
