import type { MonitoredObject } from '../monitored-object.ts'
import type { Fix } from './fix.ts'

/** How an object was moving at a fix. */
export type Motion = 'moving' | 'idle' | 'stopped'

/** The motions by the number that stands for each in a record, and the bits that the number takes. */
export const MOTIONS: readonly (Motion | null)[] = [null, 'stopped', 'idle', 'moving']
export const MOTION_BITS = 3

/** The location of an object at a moment: milliseconds since the epoch, degrees. */
export type Spot = { readonly time: number; readonly latitude: number; readonly longitude: number }

/**
 * The state of the fold over an object's fixes: all that a later fix needs to know of the earlier ones.
 * Counters and readings are whole numbers, so that sums are exact in any order.
 */
export type FoldState = {
  /** The time of the newest fix. */
  readonly at: number
  /** The newest fix that is believed. */
  readonly last: Spot
  /** The speed that it sent, km/h. */
  readonly lastSpeed: number | null
  /** The believed fix before it. */
  readonly before: Spot | null
  /** Null: it is not where the believed fix before it is. */
  readonly repeats: Repeats | null
  /**
   * The first fix, or the one that ended the last silent trip. Null: a believed fix since then is farther than a receiver
   * drifts.
   */
  readonly start: Spot | null
  /** The last believed fix before the last confirmed jump. Null: there was none, or it was a return to such a fix. */
  readonly origin: Spot | null
  /** The fix up to which distance has been counted. */
  readonly anchor: Spot
  /**
   * The newest believed fix that the history shows. The next one shown must be far enough away from it.
   */
  readonly shown: Spot
  /** The newest fix, if it is too far away to be believed before others confirm it. */
  readonly suspect: Spot | null
  readonly suspectSpeed: number | null
  /** The group of fixes to which the suspect one belongs. Null: the next one that joins it confirms it. */
  readonly group: Group | null
  /** Whether the newest fix belongs to the suspect one before it: if it is believed, it confirms that. */
  readonly joins: boolean
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

/** The fixes at exactly the coordinates of the last believed one, back to back: ms since the epoch. */
export type Repeats = {
  /** The time of the first of them. */
  readonly since: number
  /** The time of the first that has the speed of the last one, too. Null: it has another speed, or one below that of movement. */
  readonly speedSince: number | null
}

/** Fixes after a jump, each within reach of the one before it. */
export type Group = {
  /** The time of the first of them, ms since the epoch. */
  readonly since: number
  readonly count: number
}

export type Counters = Pick<FoldState, 'odometer' | 'mileage' | 'engineHours'>

/** The fold state at a position of which only the counters are known. */
export function bareFold(here: Spot, counters: Counters): FoldState {
  return {
    at: here.time,
    last: here,
    lastSpeed: null,
    before: null,
    repeats: null,
    start: null,
    origin: null,
    anchor: here,
    shown: here,
    suspect: null,
    suspectSpeed: null,
    group: null,
    joins: false,
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
  /** Stored with what they fold. Rules with another version may fold stored positions differently. */
  readonly version: number
  /** Judges a fix by its own values. Undefined if it is accepted, else the reason. */
  judge(object: MonitoredObject, fix: Fix): RejectReason | undefined
  /** Advances a fold state by the next fix in the order of device times. */
  advance(fold: FoldState | null, object: MonitoredObject, fix: Fix): Step
  /** Compares two fixes of one moment. Positive: `a` wins. Negative: `b` wins. 0: they are equal. */
  prefer(a: Fix, b: Fix): number
}

/**
 * How a silence between two consecutive believed fixes counts:
 * - `same place`: both are near each other. It is part of a stop.
 * - `left from near`: the object stood before it, and moves after it not far away. It is part of a stop.
 * - `trip`: the object was carried or driven somewhere, nobody knows when. It is a trip of its own.
 * A `slow leg` is not a silence, but is also part of a stop, whatever the motion at its ends.
 */
const SILENCE_CASES = ['same place', 'left from near', 'trip'] as const
export type SilenceCase = (typeof SILENCE_CASES)[number] | 'slow leg'

/** The silences that a believed fix ended, by the settings at that time. A suspect fix ends none. */
export type Silence = {
  /** The silence between the believed fix before and this one. Null: there was none. */
  readonly before: SilenceCase | null
  /** Whether this fix confirmed the suspect one before it, so that this one is the believed fix before. */
  readonly confirms: boolean
  /** Whether there was a silence before the confirmed fix as well. It is a trip, because that fix is far away. */
  readonly beforeConfirmed: boolean
}

/** All silences by the number that a record has for each. Equal silences are the same object. */
export const SILENCES: readonly (Silence | null)[] = [
  null,
  ...SILENCE_CASES.map((before) => ({ before, confirms: false, beforeConfirmed: false })),
  ...SILENCE_CASES.map((before) => ({ before, confirms: true, beforeConfirmed: false })),
  ...[null, ...SILENCE_CASES].map((before) => {
    return { before, confirms: true, beforeConfirmed: true }
  }),
  ...[
    [false, false],
    [true, false],
    [true, true],
  ].map(([confirms, beforeConfirmed]) => {
    return { before: 'slow leg' as const, confirms: confirms!, beforeConfirmed: beforeConfirmed! }
  }),
]

/** Finds a silence. Null: there was none at all. */
export function silenceOf(
  before: SilenceCase | null,
  confirms: boolean,
  beforeConfirmed: boolean,
): Silence | null {
  if (before === null && !beforeConfirmed) return null
  const found = SILENCES.find(
    (silence) =>
      silence?.before === before &&
      silence.confirms === confirms &&
      silence.beforeConfirmed === beforeConfirmed,
  )
  return found!
}

/** A value of a device's own counter (odometer: mm, engine hours: ms), and when it was read: ms since the epoch. */
type Reading = { readonly value: number; readonly at: number }

/**
 * All that the next reading of a device's own counter needs to know of those before it. It depends on the readings
 * in the order of device times alone.
 */
export type CounterReading = {
  /** As last believed. */
  readonly value: number
  /** When it last grew, or was first read. */
  readonly grewAt: number
  /** The newest reading, if it does not follow from the believed one. */
  readonly doubted: Reading | null
  /** The counter before its last accepted drop. */
  readonly before: CounterBefore | null
}

type CounterBefore = {
  readonly value: number
  readonly grewAt: number
  readonly droppedAt: number
  /** The gains since the drop. */
  readonly counted: number
}
