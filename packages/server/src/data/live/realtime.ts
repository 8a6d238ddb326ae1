import type { RateVerdict, WindowNeeds } from '../../base/access/sliding-log.ts'
import { HUNDREDTHS_PER_UNIT, type QuotaCount } from '../../base/domain/limits.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'

/**
 * The port to current data that all processes of a deployment share: rate windows, quota, states. The adapters begin
 * in `memory/memory-realtime.ts` and `redis/redis-realtime.ts`.
 */
export interface Realtime {
  /**
   * Asks everything that one request needs in one round trip: the rate window first and, only if it
   * admits the request, the charge and the states. An admitted request is counted before this resolves.
   * Rejects with `WindowUnavailable` if the shared window cannot be asked and the operator wants such
   * requests refused rather than admitted by this process's own window.
   */
  ask(organization: number, needs: RequestNeeds): SharedAnswer | Promise<SharedAnswer>
  /** Takes back a request that the window admitted at `atUs`, so that it does not count. Returns the window without it. */
  giveBack(organization: number, needs: WindowNeeds, atUs: number): Promise<RateVerdict>
  readonly quota: DailyQuota
  readonly snapshots: Snapshots
  readonly streams: StreamSlots
  close(): Promise<void>
}

export type RequestNeeds = WindowNeeds & {
  charge: Charge | null
  /** The objects whose states the answer shows. */
  shown: readonly number[]
}

export type SharedAnswer = {
  rate: RateVerdict
  /** When the request was admitted, by the clock of this process. Meaningless if it was refused. */
  atUs: number
  /**
   * Null if nothing was to be charged or the window refused. 'unavailable' if the counters cannot be
   * reached.
   */
  charge: ChargeVerdict | 'unavailable' | null
  /** Null if the shared states cannot be read. Meaningless if the window refused. */
  states: StatesRead | null
}

export class WindowUnavailable extends Error {
  override name = 'WindowUnavailable'
}

/** Another program has written under a key of ours, where processes share one server. The log says which key. */
export class ForeignValue extends Error {
  override name = 'ForeignValue'
}

/** Amounts of the daily quota, for distinct objects on a UTC day (`base/domain/time/time.ts`, `utcDay`). */
export type Amounts = {
  objects: readonly number[]
  /** The amount of each object, in their order. Without it each amount is a whole unit. */
  hundredths?: readonly number[]
  day: number
}

/** The hundredths of the object at `index`. */
export function amountAt({ hundredths }: Amounts, index: number): number {
  return hundredths === undefined ? HUNDREDTHS_PER_UNIT : hundredths[index]!
}

/**
 * Charges each object its amount, all or none. `limit`: whole units; with null nobody is refused. `ableToPay`: other
 * objects. They are not charged, but each must have a unit left.
 */
export type Charge = Amounts & { limit: number | null; ableToPay?: readonly number[] }

export type ChargeVerdict =
  /**
   * `used`: the hundredths of the highest counter among the charged objects. Null if no object was charged, or the charge
   * is deferred.
   */
  { charged: true; used: number | null } | ({ charged: false } & Exhausted)

/** The objects that have less left than their amounts, in the order asked, and those of `ableToPay` last. */
export type Exhausted = {
  exhausted: number[]
  /** The hundredths that each of them has left: it can pay a charge of this amount. */
  left: number[]
}

/**
 * A resolved promise means that the count survives `kill -9`. A charge with a limit rejects with
 * `QuotaUnavailable` if it cannot be counted. A charge without a limit is deferred then.
 */
export interface DailyQuota {
  charge(organization: number, charge: Charge): Promise<ChargeVerdict>
  /**
   * The counters of these objects on a day in hundredths, in their order. They may be up to a second old where
   * processes share the counters. Rejects with `QuotaUnavailable`.
   */
  used(organization: number, objects: readonly number[], day: number): Promise<number[]>
  /** Takes back what was charged, for an answer that failed before its first byte. */
  giveBack(organization: number, amounts: Amounts): Promise<void>
}

export class QuotaUnavailable extends Error {
  override name = 'QuotaUnavailable'
}

/**
 * The current states of objects, from which lists, details and latest positions are answered. The caller
 * reads missing states from the store. These calls never reject.
 */
export interface Snapshots {
  /** Whether other processes read and write them too. A commit then shows in the store before it shows here. */
  readonly isShared: boolean
  /** Null if nothing can be read at the moment. */
  read(
    organization: number,
    objects: readonly number[],
  ): StatesRead | null | Promise<StatesRead | null>
  /**
   * Replaces the states of these objects after a change was stored. The other states stay valid only if
   * every change up to `previous` is known here.
   */
  keep(organization: number, change: StatesChange): void | Promise<void>
  /** Reports that states have changed up to `sequence`, without the new states. Drops older states. */
  outdate(organization: number, sequence: number): void | Promise<void>
  /**
   * Adds states that were read from the store. Objects that have a state already keep it. Nothing is
   * added if something was dropped since `version`, the version of the read that missed these states.
   */
  fill(
    organization: number,
    states: ReadonlyMap<number, ObjectState>,
    version: string | null,
  ): void | Promise<void>
}

export type StatesRead = {
  /** The states of the objects, in their order. */
  kept: Kept[]
  /**
   * An opaque token that differs after each change of the organization's states. Null if the store's
   * watch reports every change.
   */
  version: string | null
}

/** Undefined if no state is kept. */
export type Kept = ObjectState | undefined

export type StatesChange = {
  /**
   * The number of this change of the organization's states, and of the one before it; 0 if there was
   * none.
   */
  sequence: number
  previous: number
  states: ReadonlyMap<number, ObjectState>
}

/** Counts the streams and the whole answers that organizations and keys hold. */
export interface StreamSlots {
  /** Lines up for one of the holder's `limit` slots, in the order of these calls over all processes. */
  lineUp(holder: number, limit: number): Promise<QueuedSlot>
}

/** A slot, or a position in the queue, is kept until it is freed, or for some seconds after its process was killed. */
export type StreamSlot = { free(): void }
/** `isTaken`: whether its turn has come. */
export type QueuedSlot = StreamSlot & { isTaken(): Promise<boolean> }

/**
 * The port to a lasting copy of the shared quota counters. The copy is written shortly after them, and
 * read if they may have been lost. Calls reject if the copy cannot answer.
 */
export interface QuotaCounts {
  /** The known counters of an organization and day in hundredths, by object. */
  read(organization: number, day: number): Promise<Map<number, number>>
  /** Raises each counter to at least the given one: a later write may carry an earlier counter. */
  write(counts: readonly QuotaCount[]): Promise<void>
}
