import type { Accuracy } from '../../domain/monitored-object.ts'
import type { Fix } from '../../domain/position/fix.ts'
import type { FoldState, Motion } from '../../domain/position/fold-state.ts'
import { believedSpeed } from './believed-speed.ts'

/*
 * A phone on a desk shows 8 km/h every now and then. So the speeds of a parked object count only once it is away
 * from its anchor, unless its ignition says that it is in use.
 */

/** A stationary receiver drifts within this distance, as in a street with tall buildings. */
export const DRIFT_M = 100
/** Until then a fix away from the anchor confirms a doubted speed. */
const DOUBT_MS = 5 * 60_000

/** Whether the speed of a believed fix counts as unknown. `isUnderWay`: whether a trip is. */
export function isSpeedDoubted(fix: Fix, isUnderWay: boolean, fromAnchor: number): boolean {
  return !isUnderWay && fix.ignition !== true && fromAnchor < DRIFT_M && believedSpeed(fix) !== null
}

/** The motion of a parked object. Some objects are stopped by their ignition alone. */
export function parkedMotion({ ignition }: Fix, { stopDetectionMethod }: Accuracy): Motion {
  return stopDetectionMethod === 'ignition' && ignition === null ? 'idle' : 'stopped'
}

/** Whether a believed fix that is away from the anchor confirms a speed that was doubted. */
export function confirmsSpeed({ doubtedAt }: FoldState, time: number): boolean {
  return doubtedAt !== null && time - doubtedAt <= DOUBT_MS
}

/**
 * Whether the newest fix that the history shows had a speed that was doubted, and that a fix at this time confirms. The
 * object drove over that place: buses turn in their terminals.
 */
export function isShownDoubted(fold: FoldState, time: number): boolean {
  return fold.shown.time === fold.doubtedAt && confirmsSpeed(fold, time)
}

/** `FoldState.doubtedAt` after a fix. */
export function doubtedAfter(
  fold: FoldState,
  fix: Fix,
  { minimumMovingSpeed }: Accuracy,
  isDoubted: boolean,
): number | null {
  if (isDoubted && fix.speed! >= minimumMovingSpeed) return fix.timeDevice
  return confirmsSpeed(fold, fix.timeDevice) ? fold.doubtedAt : null
}
