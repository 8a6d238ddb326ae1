import { clientGone } from '../http/connections/client-gone.ts'
import { ForeignValue, QuotaUnavailable, WindowUnavailable } from '../live/realtime.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Api } from './api.ts'
import { internal, type Refusal, unavailable } from './refusal.ts'
import type { ApiRequest } from './request/request.ts'

/** Seconds after which a client may try again when a part is down. */
export const RETRY_AFTER_SECONDS = 5
const OUTAGES = [StoreUnavailable, QuotaUnavailable, WindowUnavailable, ForeignValue]

/**
 * The refusal for an exception: a part is down, or an internal error. Work that ended because its client has
 * gone is no failure, and nobody reads its answer.
 */
export function failureRefusal(
  api: Pick<Api, 'log'>,
  request: Pick<ApiRequest, 'id' | 'connection'>,
  error: unknown,
): Refusal {
  const gone = clientGone(request.connection)
  if (gone.aborted && error === gone.reason) return unavailable(RETRY_AFTER_SECONDS)
  const isOutage = OUTAGES.some((outage) => error instanceof outage)
  if (!isReported(error)) api.log.failure(error, request.id)
  return isOutage ? unavailable(RETRY_AFTER_SECONDS) : internal
}

/** The value has a line of its own, once a minute. Without it every request of the organization would add one. */
function isReported(error: unknown): boolean {
  return error instanceof ForeignValue || (error as Error)?.cause instanceof ForeignValue
}
