import type { MonitoredObject } from '../monitored-object.ts'
import type { CounterReading } from './counter-reading.ts'
import type { Fix } from './fix.ts'
import type { Silence } from './silence.ts'

/** How an object was moving at a fix. */
export type Motion = 'moving' | 'idle' | 'stopped'

/** The motions by the number that stands for each in a record, and the bits that the number takes. */
export const MOTIONS: readonly (Motion | null)[] = [null, 'stopped', 'idle', 'moving']
export const MOTION_BITS = 3

/** Where an object was at a moment: milliseconds since the epoch, degrees. */
export type Spot = { readonly time: number; readonly latitude: number; readonly longitude: number }

/**
 * The state of the fold over an object's fixes: all that a later fix needs to know of the earlier ones.
 * Counters and readings are whole numbers, so that sums are exact in any order.
 */
export type FoldState = {
  /** The time of the newest fix. */
  readonly at: number
  /** The newest fix that is believed to tell where the object is. */
  readonly last: Spot
  /** The fix up to which distance has been counted. */
  readonly anchor: Spot
  /**
   * The newest believed fix that the history shows. The next one shown must be far enough away from it.
   */
  readonly shown: Spot
  /** The newest fix, if it lies too far away to be believed before another fix confirms it. */
  readonly suspect: Spot | null
  readonly motion: Motion | null
  /** Whether the object was moving at the anchor or since then. */
  readonly moved: boolean
  /** Whether the ignition was known to be off at the newest fix. */
  readonly parked: boolean
  /** Whether the engine was running at the newest fix, as far as known. */
  readonly running: boolean
  /** The silences that the newest fix ended. Null: none. */
  readonly silence: Silence | null
  /**
   * When a parked object last had a speed of movement that nothing has confirmed. Null: not in the last minutes.
   */
  readonly doubtedAt: number | null
  /** When the object last moved in the sense of a trip. */
  readonly activeAt: number | null
  /** The time of the first fix of the current trip, or of the last trip while the object is stopped. */
  readonly tripFrom: number | null
  /** mm. */
  readonly odometer: number | null
  /** mm, since the trip began. */
  readonly mileage: number | null
  /** ms. */
  readonly engineHours: number | null
  /** The device's own counters, as followed so far: mm, ms. Null: it sent none. */
  readonly odometerReading: CounterReading | null
  readonly engineHoursReading: CounterReading | null
}

export type Counters = Pick<FoldState, 'odometer' | 'mileage' | 'engineHours'>

/** The fold state at a position of which only the counters are known. */
export function bareFold(here: Spot, counters: Counters): FoldState {
  return {
    at: here.time,
    last: here,
    anchor: here,
    shown: here,
    suspect: null,
    motion: null,
    moved: false,
    parked: false,
    running: false,
    silence: null,
    doubtedAt: null,
    activeAt: null,
    tripFrom: null,
    ...counters,
    odometerReading: null,
    engineHoursReading: null,
  }
}

/** The fold state after a fix, and whether the history hides the fix. */
export type Step = { fold: FoldState; hidden: boolean }

/** Why a well-formed packet is not accepted as a position, as documented in docs/feed.md. */
export type RejectReason = string

/** The pure rules that turn an object's fixes into its history and its state. */
export type FoldRules = {
  /** Judges a fix by its own values. Undefined if it is accepted, else the reason. */
  judge(object: MonitoredObject, fix: Fix): RejectReason | undefined
  /** Advances a fold state by the next fix in the order of device times. */
  advance(fold: FoldState | null, object: MonitoredObject, fix: Fix): Step
  /** Compares two fixes of one moment. Positive: `a` wins. Negative: `b` wins. 0: they are equal. */
  prefer(a: Fix, b: Fix): number
}
