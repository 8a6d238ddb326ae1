import type { RateVerdict } from '../access/rate-window.ts'

/** The port to what is current and shared by every process that answers for a deployment. */
export interface Realtime {
  readonly window: RateWindow
  readonly quota: DailyQuota
  close(): Promise<void>
}

export interface RateWindow {
  /** Asks for one request of an organization; an admitted one is counted before this resolves. */
  take(organization: number): Promise<RateVerdict>
}

export type ChargeVerdict =
  | { charged: true /** The highest count among the objects charged. */; used: number }
  | { charged: false /** Those with nothing left, in the order asked. */; exhausted: number[] }

/**
 * Charges per object and UTC day (`domain/time.ts`, `utcDay`). What a resolved promise says was
 * counted survives `kill -9`. An adapter that cannot count rejects with `QuotaUnavailable`.
 */
export interface DailyQuota {
  /** Adds 1 to each of the distinct objects, all or none; a limit of null refuses nobody. */
  charge(
    organization: number,
    objects: number[],
    limit: number | null,
    day: number,
  ): Promise<ChargeVerdict>
  /** Adds 1 whatever the limit and resolves to the count; null where that is kept for later. */
  count(organization: number, object: number, day: number): Promise<number | null>
  /** Takes back 1 from each: for an answer that failed before its first byte. */
  giveBack(organization: number, objects: number[], day: number): Promise<void>
}

export class QuotaUnavailable extends Error {
  override name = 'QuotaUnavailable'
}
