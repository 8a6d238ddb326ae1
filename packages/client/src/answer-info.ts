/** The rest of a daily quota. For several objects, the one with the least left. */
export type Quota = {
  limit: number
  remaining: number
  /** Milliseconds until the quota starts again at midnight UTC. */
  resetAfterMs: number
}

/** The facts in an answer's headers. */
export type AnswerInfo = {
  /** The path after the base address, without its query: `/objects/3`. */
  path: string
  status: number
  /** `X-Request-Id`, with which the operator finds the request in the server's log. */
  requestId: string | undefined
  /** `X-Quota-*` of a charged request, if the subscription has a quota. */
  quota: Quota | undefined
  /** `X-Quota-Exhausted`: ids of objects whose quota is exhausted, at most 100. Usually empty. */
  exhausted: readonly number[]
  /** `Retry-After`: how long to wait before another attempt. */
  retryAfterMs: number | undefined
}

/** A request that will be sent again. */
export type RetryInfo = {
  /** The path after the base address, without its query. */
  path: string
  /** The reason: the server refused it, or no complete answer came. */
  error: Error
  /** The shortest wait, in milliseconds. */
  waitMs: number
}

export function infoOf(path: string, { status, headers }: Response): AnswerInfo {
  const limit = wholeNumberIn(headers, 'x-quota-limit')
  const remaining = wholeNumberIn(headers, 'x-quota-remaining')
  const reset = wholeNumberIn(headers, 'x-quota-reset')
  const hasQuota = limit !== undefined && remaining !== undefined && reset !== undefined
  const retryAfter = wholeNumberIn(headers, 'retry-after')
  return {
    path: withoutQuery(path),
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    quota: hasQuota ? { limit, remaining, resetAfterMs: reset * 1000 } : undefined,
    exhausted: (headers.get('x-quota-exhausted')?.match(/\d+/g) ?? []).map(Number),
    retryAfterMs: retryAfter === undefined ? undefined : retryAfter * 1000,
  }
}

/** A cursor or a list of ids would make lines of a log long. */
export function withoutQuery(path: string): string {
  return path.replace(/\?.*/s, '')
}

/** Why the server refused the key, which the body of a 401 does not say. */
export function keyFaultIn(headers: Headers): string | undefined {
  return /error_description="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1]
}

function wholeNumberIn(headers: Headers, name: string): number | undefined {
  const digits = /^\d+$/.exec(headers.get(name) ?? '')?.[0]
  return digits === undefined ? undefined : Number(digits)
}
