import type { RejectReason } from '../domain/position/fold-state.ts'

/** A day of an object in UTC, counted from 1970-01-01. */
export type DayName = { object: number; day: number }

/** A day that was computed. `content` is the reader's own text; an outdated one does not hold any more. */
export type KeptDay = DayName & {
  content: string
  isOutdated: boolean
  /** The commit time of the newest change that was noted of the day. Null: none was. */
  changedAt: number | null
}

/** The days of an object, from the first to the last one, that change number `seq`, committed at `at`, touched. */
export type TouchedDays = { object: number; from: number; to: number; seq: number; at: number }

/**
 * The state of an organization for which days were kept: after change `seq`. `form` names all else on which their
 * content depends, such as the epoch of the change log.
 */
export type CoverageState = { form: string; seq: number }

/** An object and its packets that were refused for their time. */
export type ClockRejects = { object: number; packets: number }

export type RejectCount = DayName & { reason: RejectReason; packets: number }

/**
 * Computed days of objects, which hold until a change touches them, and the counts of rejected packets. Reports no
 * change.
 */
export interface CoverageStore {
  /** The state to which `advance` has brought the organization. Null: it was never called. */
  state(organization: number): Promise<CoverageState | null>
  /**
   * Notes the changes of the touched days, and marks those as outdated that were kept before; or drops all days, in
   * slices.
   */
  advance(
    organization: number,
    to: CoverageState,
    touched: readonly TouchedDays[] | 'all',
  ): Promise<void>
  /** The kept days of these objects from the first to the last one, by object and day. */
  days(
    organization: number,
    objects: readonly number[],
    from: number,
    to: number,
  ): Promise<KeptDay[]>
  /** Keeps days as of a state. Does nothing if the organization has advanced since. */
  keep(
    organization: number,
    asOf: CoverageState,
    days: readonly (DayName & { content: string })[],
  ): Promise<void>
  /**
   * Deletes a slice of the kept days that ended before a moment, and of the counts of their rejected packets. `after`
   * and the result are those of `PositionStore.purgeExpired`.
   */
  purgeExpired(organization: number, before: number, after: number): Promise<number | null>
  /** The rejected packets of these objects by the day of their `time_device`, or of their arrival if that is earlier. */
  rejects(
    organization: number,
    objects: readonly number[],
    from: number,
    to: number,
  ): Promise<RejectCount[]>
  /** The first 100 objects with packets that were refused for their time on that UTC day or later, and how many. */
  clockRejects(organization: number, from: number): Promise<ClockRejects[]>
}
