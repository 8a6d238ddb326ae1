import type { Accuracy } from '../../../base/domain/monitored-object.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import type {
  FoldState,
  Motion,
  Repeats,
  Silence,
  Spot,
} from '../../../base/domain/position/fold-state.ts'
import type { Readings } from './counters.ts'
import { believedSpeed, isShownDoubted, NEAR_M } from './not-driving.ts'
import { isPossiblePace, metres, type Reach } from './reach.ts'
import { isTripUnderWay } from './trip-end.ts'

/*
 * This file says which way a fix adds to the odometer, and where the anchor is afterwards. Trips add up to the odometer
 * at each fix, so a way counts only in a trip.
 */

/** Everything that a fix shows of its object. */
export type Arrival = {
  /** The fix, without a speed that its place refutes. */
  readonly fix: Fix
  readonly repeats: Repeats | null
  readonly readings: Readings
  readonly silence: Silence | null
  readonly motion: Motion | null
  readonly isMoving: boolean
  readonly isDoubted: boolean
  /** Whether a trip is under way. */
  readonly isUnderWay: boolean
  readonly isAway: boolean
  /** Whether the object has traveled, or confirms that it has moved. */
  readonly hasGone: boolean
  /** Whether it has stood since the believed fix before, whatever that said of motion. */
  readonly hasStood: boolean
}

export type Way = {
  readonly hidden: boolean
  /** Whether the fix becomes the anchor. */
  readonly advances: boolean
  /** Null: a later fix will count it. */
  readonly metres: number | null
  /** Whether it is one of movement. */
  readonly isLeg: boolean
  /** Whether the object has moved since the anchor before. */
  readonly hasMoved: boolean
}

export function wayTo(
  fold: FoldState,
  accuracy: Accuracy,
  reach: Reach,
  arrival: Arrival,
  here: Spot,
): Way {
  const { isMoving, isAway, hasGone, hasStood, silence, fix } = arrival
  const hidden = reach.fromShown < accuracy.minimumDifferencePoint
  const hasMoved = fold.moved && silence?.beforeConfirmed !== true
  if (reach.isJump) return { hidden, advances: false, metres: null, isLeg: false, hasMoved }
  const before = silence?.before ?? null
  if (before === 'trip') {
    const metres = silentWay(fold, accuracy, reach, isMoving, here)
    return { hidden, advances: true, metres, isLeg: false, hasMoved }
  }
  // The odometer leaves out the way of a garage. A device that counts it adds it at the next leg.
  if (before !== null && before !== 'slow leg' && isMoving) {
    return { hidden, advances: true, metres: null, isLeg: false, hasMoved }
  }
  const isOpen = !hasStood && isTripUnderWay(fold, fold.last.time)
  // A way counts in a trip alone. The next movement counts that from the same anchor.
  const isKept =
    fold.motion === 'moving' ? hasStood : !isMoving && isLeft(reach, arrival, hasMoved, isOpen)
  // Without a speed, a step within the drift decides nothing. The next fix is measured from the same anchor.
  const isDecided = !arrival.isDoubted && (isAway || believedSpeed(fix) !== null)
  if (isKept || !isDecided || hidden) {
    return { hidden, advances: false, metres: null, isLeg: false, hasMoved }
  }
  const isOff = fold.parked && fix.ignition === false
  const isLeg = !hasStood && (isMoving || (hasMoved && isOpen) || (hasGone && !isOff))
  const way = isLeg ? legFrom(fold, reach, isAway && !arrival.isUnderWay, here) : 0
  return { hidden, advances: true, metres: way, isLeg, hasMoved }
}

/** Whether a trip that is over has left a way uncounted. Farther away the object was carried. */
function isLeft(
  { fromAnchor }: Reach,
  { hasGone }: Arrival,
  hasMoved: boolean,
  isOpen: boolean,
): boolean {
  return hasMoved && !isOpen && !hasGone && fromAnchor <= NEAR_M
}

/** The meters of a silent trip, which belong to it alone. */
function silentWay(
  fold: FoldState,
  { distanceSource }: Accuracy,
  { last, fromLast }: Reach,
  isMoving: boolean,
  here: Spot,
): number {
  // The counter of the device decides.
  if (distanceSource === 'odometer' && fold.odometerReading !== null) return fromLast
  const isStill = !isMoving && fold.motion !== 'moving'
  if (isStill && fromLast <= NEAR_M) return 0
  return isPossiblePace(here.time - last.time, fromLast) ? fromLast : 0
}

/**
 * The meters from the anchor. A fix away from it that begins a trip may confirm a doubted speed: the object then drove
 * over the place of that speed.
 */
function legFrom(
  fold: FoldState,
  { anchor, fromAnchor, fromShown }: Reach,
  mayConfirm: boolean,
  here: Spot,
): number {
  const isOverDoubted = mayConfirm && anchor === fold.anchor && isShownDoubted(fold, here.time)
  return isOverDoubted ? metres(anchor, fold.shown) + fromShown : fromAnchor
}
