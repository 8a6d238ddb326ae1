import type { Accuracy } from '../../../base/domain/monitored-object.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import type { FoldState, Repeats, Spot } from '../../../base/domain/position/fold-state.ts'
import { MINUTE_MS } from '../../../base/domain/time/time.ts'
import { believedSpeed } from './not-driving.ts'

/*
 * A tracker that has lost its receiver repeats its last fix with the last speed. This file finds such fixes: no vehicle
 * moves and stays at exactly the same coordinates.
 */

/** Feeds of buses repeat a fix within this time although the bus drives. */
const REFUTED_MS = 2 * MINUTE_MS

/** The repeats after a believed fix. `last`, `lastSpeed`: the believed fix before it, which may be the suspect one. */
export function repeatsAt(
  fold: FoldState,
  last: Spot,
  lastSpeed: number | null,
  fix: Fix,
  { minimumMovingSpeed }: Accuracy,
): Repeats | null {
  if (fix.latitude !== last.latitude || fix.longitude !== last.longitude) return null
  const before = last === fold.last ? fold.repeats : null
  const speed = believedSpeed(fix)
  const isSameSpeed = speed !== null && speed >= minimumMovingSpeed && speed === lastSpeed
  return {
    since: before?.since ?? last.time,
    speedSince: isSameSpeed ? (before?.speedSince ?? last.time) : null,
  }
}

/** Whether the place refutes the speed of a fix at this time, which is the last of these repeats. */
export function isRefuted(repeats: Repeats | null, time: number): boolean {
  const since = repeats?.speedSince ?? null
  return since !== null && time - since > REFUTED_MS
}

/** The time from which the reach and the pace of the next fix are measured: the last believed fix may be a repeat. */
export function seenThereAt({ last, repeats }: FoldState): number {
  return repeats?.speedSince ?? last.time
}
