import type { FoldState, Spot } from '../../../base/domain/position/fold-state.ts'
import { distanceMetres } from './geodesic.ts'
import { MAX_SPEED_KMH } from './not-driving.ts'
import { seenThereAt } from './repeats.ts'

/** Beyond this distance we ask whether a vehicle could have got there in time. */
const JUMP_M = 200
/** km/h in one metre per millisecond. */
export const KMH_PER_M_PER_MS = 3_600

/**
 * The fixes that a new one is measured from, and the distances from them in metres. `isJump`: no vehicle could have come
 * there from the last ones.
 */
export type Reach = {
  isJump: boolean
  /** Whether it belongs to the suspect fix before it. */
  joins: boolean
  last: Spot
  anchor: Spot
  fromLast: number
  fromAnchor: number
  fromShown: number
}

export function measure(fold: FoldState, here: Spot): Reach {
  const fromBelieved = metres(fold.last, here)
  const start = plausibleStart(fold, here, fromBelieved)
  const isJump = start === null
  const last = start ?? fold.last
  // If this fix confirms the suspect one, distance counts from the suspect one on.
  const anchor = last === fold.suspect ? last : fold.anchor
  const fromLast = last === fold.last ? fromBelieved : metres(last, here)
  const fromAnchor = anchor === last ? fromLast : metres(anchor, here)
  const fromShown = fold.shown === last ? fromLast : metres(fold.shown, here)
  const joins = start !== null && start === fold.suspect
  return { isJump, joins, last, anchor, fromLast, fromAnchor, fromShown }
}

/**
 * The fix from which the object can have come here at the speed of a vehicle: the last believed fix, or
 * else the suspect one after it. Null if neither.
 */
function plausibleStart(fold: FoldState, here: Spot, fromLast: number): Spot | null {
  const { last, suspect } = fold
  if (isWithinReach(here.time - seenThereAt(fold), fromLast)) return last
  if (suspect === null) return null
  return isWithinReach(here.time - suspect.time, metres(suspect, here)) ? suspect : null
}

function isWithinReach(ms: number, far: number): boolean {
  return far <= JUMP_M || isPossiblePace(ms, far)
}

export function isPossiblePace(ms: number, far: number): boolean {
  return (far / ms) * KMH_PER_M_PER_MS <= MAX_SPEED_KMH
}

export function metres(from: Spot, to: Spot): number {
  return distanceMetres(from.latitude, from.longitude, to.latitude, to.longitude)
}
