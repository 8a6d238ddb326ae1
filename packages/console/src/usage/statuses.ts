import { t } from '../language/text.ts'
/** Classes of answers from good to bad, as stacked in charts. */
export const STATUS_KINDS = ['ok', 'unchanged', 'refused', 'client', 'server'] as const

export type StatusKind = (typeof STATUS_KINDS)[number]

export const STATUS_NAMES: Record<StatusKind, string> = {
  ok: t('OK (2xx)'),
  unchanged: t('Unchanged (304)'),
  refused: t('Rate limited (429)'),
  client: t('Other client errors (4xx)'),
  server: t('Server errors (5xx)'),
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
  304: t('Not modified'),
  400: t('Bad request or quota exhausted'),
  401: t('No valid key'),
  403: t('Not allowed by key or subscription'),
  404: t('Not found'),
  405: t('Method not allowed'),
  406: t('Not acceptable'),
  429: t('Too many requests'),
  499: t('Client disconnected'),
  500: t('Server error'),
  503: t('Unavailable'),
}

export function meaningOf(status: number): string {
  return MEANINGS[status] ?? ''
}
