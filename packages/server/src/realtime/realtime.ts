import type { RateVerdict } from '../access/rate-window.ts'
import type { ObjectState } from '../domain/object-state.ts'

/** The port to what is current and shared by every process that answers for a deployment. */
export interface Realtime {
  /**
   * All that one request asks of what is shared, in one go: the rate window first and, only where
   * that admits it, the charge and the states. An admitted request is counted before this resolves.
   * Rejects with `WindowUnavailable` where requests are to be refused rather than admitted by this
   * process's own window while the shared one cannot be asked.
   */
  ask(organization: number, wants: Wants): Shared | Promise<Shared>
  readonly quota: DailyQuota
  readonly snapshots: Snapshots
  close(): Promise<void>
}

/** What a request wants beyond leave to be answered. */
export type Wants = {
  charge: Charge | null
  /** Objects whose states it shows. */
  states: readonly number[]
}

export type Shared = {
  rate: RateVerdict
  /** Null where nothing was to be charged, or the window refused; 'unavailable': nobody can count it. */
  charge: ChargeVerdict | 'unavailable' | null
  /** Null where what is shared cannot be read. Of no meaning where the window refused. */
  states: StatesRead | null
}

export class WindowUnavailable extends Error {
  override name = 'WindowUnavailable'
}

/**
 * 1 to each of the distinct objects, all or none, on a UTC day (`domain/time.ts`, `utcDay`). A limit
 * of null refuses nobody.
 */
export type Charge = { objects: readonly number[]; limit: number | null; day: number }

export type ChargeVerdict =
  /** `used`: the highest count among the objects charged; null where it is kept for later. */
  | { charged: true; used: number | null }
  | { charged: false /** Those with nothing left, in the order asked. */; exhausted: number[] }

/**
 * What a resolved promise says was counted survives `kill -9`. Rejects with `QuotaUnavailable` where
 * there is a limit and it cannot be counted; what no limit refuses is then kept for later.
 */
export interface DailyQuota {
  charge(organization: number, charge: Charge): Promise<ChargeVerdict>
  /**
   * What was counted of each on a day, in their order; may be a moment behind where processes share the
   * counters. Rejects with `QuotaUnavailable`.
   */
  used(organization: number, objects: readonly number[], day: number): Promise<number[]>
  /** Takes back 1 from each: for an answer that failed before its first byte. */
  giveBack(organization: number, objects: readonly number[], day: number): Promise<void>
}

export class QuotaUnavailable extends Error {
  override name = 'QuotaUnavailable'
}

/**
 * The current state of every object: what lists, details and latest positions are answered from. What
 * is not kept here has to be read from the store. Nothing here rejects.
 */
export interface Snapshots {
  /** Null where nothing can be read just now. */
  read(
    organization: number,
    objects: readonly number[],
  ): StatesRead | null | Promise<StatesRead | null>
  /**
   * Keeps what has just been stored, in place of what is kept of these objects. What else is kept
   * stands only where every change up to `previous` is known here.
   */
  keep(organization: number, change: StatesChange): void | Promise<void>
  /** States have changed up to `sequence`, told without them: what is kept as of earlier is dropped. */
  outdate(organization: number, sequence: number): void | Promise<void>
  /**
   * Keeps what was read from the store, but of no object of which something is kept already, and only
   * while nothing was dropped since `version`, that of the read that had missed them.
   */
  fill(
    organization: number,
    states: ReadonlyMap<number, ObjectState>,
    version: string | null,
  ): void | Promise<void>
}

export type StatesRead = {
  /** Of each of the objects, in their order. */
  kept: Kept[]
  /**
   * Opaque, and another after each change of the organization's states. Null where the store's change
   * feed tells of every one of them.
   */
  version: string | null
}

/** Undefined where nothing is kept. */
export type Kept = ObjectState | undefined

export type StatesChange = {
  /** The change of the organization's states that this is, and the one before it; 0: none was. */
  sequence: number
  previous: number
  states: ReadonlyMap<number, ObjectState>
}
