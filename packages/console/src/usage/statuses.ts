/** Classes of answers from good to bad, as stacked in charts. */
export const STATUS_KINDS = ['ok', 'unchanged', 'refused', 'client', 'server'] as const

export type StatusKind = (typeof STATUS_KINDS)[number]

export const STATUS_NAMES: Record<StatusKind, string> = {
  ok: 'Answered (2xx)',
  unchanged: 'Unchanged (304)',
  refused: 'Rate window full (429)',
  client: 'Other errors of the caller (4xx)',
  server: 'Errors of the server (5xx)',
}

export function kindOf(status: number): StatusKind {
  if (status === 429) return 'refused'
  if (status === 304) return 'unchanged'
  if (status >= 500) return 'server'
  return status >= 400 ? 'client' : 'ok'
}

/** The meaning of a status. */
const MEANINGS: Record<number, string> = {
  200: 'OK',
  304: 'Not modified',
  400: 'Bad request',
  401: 'No valid key',
  403: 'Subscription not active',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  429: 'Rate window or quota',
  499: 'Caller disconnected',
  500: 'Server error',
  503: 'Unavailable',
}

export function meaningOf(status: number): string {
  return MEANINGS[status] ?? ''
}
