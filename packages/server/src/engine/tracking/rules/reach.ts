import type { Accuracy } from '../../../base/domain/monitored-object.ts'
import type { FoldState, Group, Silence, Spot } from '../../../base/domain/position/fold-state.ts'
import { MINUTE_MS } from '../../../base/domain/time/time.ts'
import { distanceMetres } from './geodesic.ts'
import { MAX_SPEED_KMH, silenceLimit } from './not-driving.ts'
import { seenThereAt } from './repeats.ts'

/*
 * This file says from which fix an object can have come to a new one at the speed of a vehicle. If from none, the new one
 * is a jump. Receivers that are spoofed jump to an airport and back, for some fixes at a time, so fixes after a jump form
 * a group, and it depends on what came before how many of them confirm each other.
 */

/** Beyond this distance we ask whether a vehicle could have got there in time. */
const JUMP_M = 200

/** km/h in one meter per millisecond. */
export const KMH_PER_M_PER_MS = 3_600

/** The fixes that a new one is measured from, and the distances from them in meters. */
export type Reach = {
  /** No vehicle could have come there from the last believed fix, and its group is not confirmed. */
  readonly isJump: boolean
  /** Whether it belongs to the suspect fix before it. */
  readonly joins: boolean
  /** The group of a jump. Null: two fixes confirm it. */
  readonly group: Group | null
  /** The believed fix before it: the suspect one, if this fix confirms that. */
  readonly last: Spot
  readonly anchor: Spot
  readonly fromLast: number
  readonly fromAnchor: number
  readonly fromShown: number
}

export function measure(fold: FoldState, accuracy: Accuracy, here: Spot): Reach {
  const { last, suspect } = fold
  const fromLast = metres(last, here)
  const isNearLast = isWithinReach(here.time - seenThereAt(fold), fromLast)
  if (suspect === null) {
    if (isNearLast) return reachFrom(fold, here, last, fromLast)
    return jump(fold, here, fromLast, newGroup(fold, accuracy, here, fromLast), false)
  }
  const fromSuspect = metres(suspect, here)
  const isNearSuspect = isWithinReach(here.time - suspect.time, fromSuspect)
  // The last believed fix has the first say.
  if (isNearLast && (!isNearSuspect || fromLast < fromSuspect)) {
    return reachFrom(fold, here, last, fromLast)
  }
  if (!isNearSuspect) {
    return jump(fold, here, fromLast, newGroup(fold, accuracy, here, fromLast), false)
  }
  const group = grown(fold.group, accuracy, suspect, here)
  if (group === null) return reachFrom(fold, here, suspect, fromSuspect)
  return jump(fold, here, fromLast, group, true)
}

/** `last`: the fix before it, from which it can be reached. */
function reachFrom(fold: FoldState, here: Spot, last: Spot, fromLast: number): Reach {
  const joins = last === fold.suspect
  // Distance counts from the confirmation on.
  const anchor = joins ? last : fold.anchor
  const fromAnchor = anchor === last ? fromLast : metres(anchor, here)
  const fromShown = fold.shown === last ? fromLast : metres(fold.shown, here)
  return { isJump: false, joins, group: null, last, anchor, fromLast, fromAnchor, fromShown }
}

function jump(
  fold: FoldState,
  here: Spot,
  fromLast: number,
  group: Group | null,
  joins: boolean,
): Reach {
  const { last, anchor, shown } = fold
  const fromShown = shown === last ? fromLast : metres(shown, here)
  return { isJump: true, joins, group, last, anchor, fromLast, fromAnchor: fromLast, fromShown }
}

/** A receiver that errs by no more does not lie. */
const SMALL_JUMP_M = 10_000

/** A group of one fix. Null: the next one that joins it confirms it. */
function newGroup(
  { last, before, start, origin, repeats }: FoldState,
  accuracy: Accuracy,
  here: Spot,
  fromLast: number,
): Group | null {
  const limit = silenceLimit(accuracy)
  const isQuick =
    fromLast <= SMALL_JUMP_M ||
    here.time - last.time > limit ||
    // The object has never been seen elsewhere, so the start may be wrong.
    start !== null ||
    canComeFrom(before, here) ||
    canComeFrom(origin, here) ||
    // The device has had no fix for long.
    (repeats !== null && last.time - repeats.since > limit)
  return isQuick ? null : { since: here.time, count: 1 }
}

/** The number of fixes and the time that confirm a group without other evidence. */
const CONFIRMING_FIXES = 10
const CONFIRMING_MS = 60 * MINUTE_MS

/** The group with one more fix. Null: it is confirmed. */
function grown(
  group: Group | null,
  accuracy: Accuracy,
  newest: Spot,
  { time }: Spot,
): Group | null {
  if (group === null || time - newest.time > silenceLimit(accuracy)) return null
  const { since } = group
  const count = group.count + 1
  const isConfirmed = count >= CONFIRMING_FIXES && time - since >= CONFIRMING_MS
  return isConfirmed ? null : { since, count }
}

/** `FoldState.origin` after a fix that confirms a jump. */
export function originAfter({ last, origin, suspect, group }: FoldState): Spot | null {
  const isReturn = group === null && canComeFrom(origin, suspect!)
  return isReturn ? null : last
}

/** `FoldState.start` after a believed fix. `last`: the one before it. */
export function startAfter(
  fold: FoldState,
  silence: Silence | null,
  last: Spot,
  here: Spot,
): Spot | null {
  if (silence?.before === 'trip') return here
  const start = silence?.beforeConfirmed === true ? last : fold.start
  return start !== null && metres(start, here) <= JUMP_M ? start : null
}

function canComeFrom(from: Spot | null, to: Spot): boolean {
  return from !== null && isWithinReach(to.time - from.time, metres(from, to))
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
