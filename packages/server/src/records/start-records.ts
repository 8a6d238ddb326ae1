import { type Store, StoreUnavailable } from '../store/store.ts'
import { type Deriver, startDeriver } from './deriver.ts'
import type { LoopParts } from './organization-loop.ts'

export type RecordServices = Pick<
  LoopParts,
  'changeWatch' | 'clock' | 'derived' | 'wait' | 'failedTask'
> & {
  store: Store
  /** Gets the error if records cannot be derived just now. They are tried again. */
  failed(error: unknown): void
}

const REPORT_FAILURE_EVERY_MS = 60_000

/** Starts to derive records from the changes. */
export function startRecords(services: RecordServices): Deriver {
  const { failed } = services
  let failedAt = Number.NEGATIVE_INFINITY
  function failedNow(error: unknown): void {
    // A failure may concern all organizations at once, and last. The log itself counts outages of the store.
    const isCounted = error instanceof StoreUnavailable
    if (!isCounted && performance.now() - failedAt < REPORT_FAILURE_EVERY_MS) return
    failedAt = performance.now()
    failed(error)
  }
  return startDeriver({ ...services, failed: failedNow })
}
