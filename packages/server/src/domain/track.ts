import type { Fix } from './fix.ts'
import type { TrackedObject } from './tracked-object.ts'

/** How an object was moving at a fix. */
export type Motion = 'moving' | 'idle' | 'stopped'

/** Where an object was at a moment: milliseconds since the epoch, degrees. */
export type Spot = { readonly time: number; readonly latitude: number; readonly longitude: number }

/**
 * What the fold over an object's fixes carries from one to the next: all that a later fix needs to
 * know of those before it. Counters and readings are whole numbers, so that sums are exact in
 * whatever order they are built.
 */
export type Track = {
  /** The time of the newest fix. */
  readonly at: number
  /** The newest fix that is believed to tell where the object is. */
  readonly last: Spot
  /** Up to where distance has been counted. */
  readonly anchor: Spot
  /** The newest fix that history shows and that is believed; the next one has to keep its distance. */
  readonly shown: Spot
  /** The newest fix, where it lies too far away to be believed before another one confirms it. */
  readonly suspect: Spot | null
  readonly motion: Motion | null
  /** Whether the object was moving at the anchor or since. */
  readonly moved: boolean
  /** Whether the ignition was known to be off at the newest fix. */
  readonly parked: boolean
  /** Whether the engine was running at the newest fix, as far as can be told. */
  readonly running: boolean
  /** When the object last moved, as far as a trip goes. */
  readonly activeAt: number | null
  /** The time of the first fix of the current trip, or of the last one while the object stands. */
  readonly tripFrom: number | null
  /** mm. */
  readonly odometer: number | null
  /** mm, since the trip began. */
  readonly mileage: number | null
  /** ms. */
  readonly engineHours: number | null
  /** The device's own counters as they were last believed: mm, ms. */
  readonly odometerReading: number | null
  readonly engineHoursReading: number | null
}

export type Counters = Pick<Track, 'odometer' | 'mileage' | 'engineHours'>

/** What a fix makes of its object's track, and whether history shows it. */
export type Step = { track: Track; hidden: boolean }

/** Why a packet that is sound is no position of its object: a word of the documentation. */
export type Objection = string

/** The pure rules by which an object's fixes become its history and its state. */
export type Tracking = {
  /** Whether a fix is accepted, by what it says alone: undefined, or why not. */
  judge(object: TrackedObject, fix: Fix): Objection | undefined
  /** What the next fix in the order of device times makes of an object's track. */
  advance(track: Track | null, object: TrackedObject, fix: Fix): Step
  /** Which of two fixes of one moment stands: positive `a`, negative `b`, 0 they say the same. */
  prefer(a: Fix, b: Fix): number
}
