import type { RateVerdict } from '../access/rate-window.ts'
import type { ObjectState } from '../domain/object-state.ts'

/** The port to what is current and shared by every process that answers for a deployment. */
export interface Realtime {
  readonly window: RateWindow
  readonly quota: DailyQuota
  readonly snapshots: Snapshots
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

/**
 * The current state of every object: what lists, details and latest positions are answered from. What
 * is not kept here has to be read from the store.
 */
export interface Snapshots {
  /** Of each of the objects, in their order; undefined where nothing is kept. */
  read(organization: number, objects: readonly number[]): Kept[] | Promise<Kept[]>
  /** Keeps what has just been stored, in place of what is kept of these objects. */
  keep(organization: number, states: ReadonlyMap<number, ObjectState>): void | Promise<void>
  /** Keeps what was read from the store, but of no object of which something is kept already. */
  fill(organization: number, states: ReadonlyMap<number, ObjectState>): void | Promise<void>
  /** What is kept of the organization's objects no longer holds. */
  forget(organization: number): void | Promise<void>
}

export type Kept = ObjectState | undefined
