/** What is left of a daily quota; of several objects, of the one that has the least. */
export type Quota = {
  limit: number
  remaining: number
  /** Milliseconds until the quota begins anew, at midnight UTC. */
  resetAfterMs: number
}

/** What the headers of an answer say beside its body. */
export type AnswerInfo = {
  /** Behind the base address: `/objects/3`. */
  path: string
  status: number
  /** `X-Request-Id`, by which the operator finds the request in the server's log. */
  requestId: string | undefined
  /** `X-Quota-*`: of charged requests, where the subscription has a quota. */
  quota: Quota | undefined
  /** `X-Quota-Exhausted`: ids of objects whose quota is exhausted, at most 100; mostly none. */
  exhausted: readonly number[]
  /** `Retry-After`: how long the server asks to wait before another try. */
  retryAfterMs: number | undefined
}

/** A request that is about to be sent again. */
export type RetryInfo = {
  path: string
  /** Why: the server refused it, or no whole answer came. */
  error: Error
  /** How long it waits at least, milliseconds. */
  waitMs: number
}

export function infoOf(path: string, { status, headers }: Response): AnswerInfo {
  const limit = wholeNumberIn(headers, 'x-quota-limit')
  const remaining = wholeNumberIn(headers, 'x-quota-remaining')
  const reset = wholeNumberIn(headers, 'x-quota-reset')
  const hasQuota = limit !== undefined && remaining !== undefined && reset !== undefined
  const retryAfter = wholeNumberIn(headers, 'retry-after')
  return {
    path,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    quota: hasQuota ? { limit, remaining, resetAfterMs: reset * 1000 } : undefined,
    exhausted: (headers.get('x-quota-exhausted')?.match(/\d+/g) ?? []).map(Number),
    retryAfterMs: retryAfter === undefined ? undefined : retryAfter * 1000,
  }
}

function wholeNumberIn(headers: Headers, name: string): number | undefined {
  const digits = /^\d+$/.exec(headers.get(name) ?? '')?.[0]
  return digits === undefined ? undefined : Number(digits)
}
