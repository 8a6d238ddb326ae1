import type { Accuracy } from '../../domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../domain/organization.ts'
import {
  type FoldState,
  type Silence,
  type SilenceCase,
  type Spot,
  silenceOf,
} from '../../domain/position/fold-state.ts'

/*
 * Silence is not driving: a tracker that loses power while it rolls says nothing of the night. A silence is a
 * time between two consecutive believed fixes that is longer than `maximum_gap`.
 */

/** Two fixes this near each other are at the same place: the drift of a receiver. */
const SAME_PLACE_M = 100
/** Trackers sleep when parked, and some wake only after a while of driving. */
const NEAR_M = 1_000
const MINUTE_MS = 60_000

/** The silences that a believed fix ends. */
export type Silences = {
  /** Whether there was one between the believed fix before and this one. */
  readonly isSilent: boolean
  /** Whether there was one before the suspect fix that this one confirms. */
  readonly isConfirmedSilent: boolean
}

export const NO_SILENCES: Silences = { isSilent: false, isConfirmedSilent: false }

/** `last`: the believed fix before `here`, which may be the suspect one of `fold`. */
export function silencesBefore(
  fold: FoldState,
  { maximumGap }: Accuracy,
  last: Spot,
  here: Spot,
): Silences {
  const limit = (maximumGap ?? ORGANIZATION_DEFAULTS.maximumGap) * MINUTE_MS
  // Nearly all fixes end here.
  if (here.time - fold.last.time <= limit) return NO_SILENCES
  return {
    isSilent: here.time - last.time > limit,
    isConfirmedSilent: last === fold.suspect && last.time - fold.last.time > limit,
  }
}

/**
 * Decides how the silences before a fix count. `metres`: between the believed fix before and this one. `moves`:
 * whether the object moves at this fix.
 */
export function decideSilence(
  fold: FoldState,
  { isSilent, isConfirmedSilent }: Silences,
  last: Spot,
  metres: number,
  moves: boolean,
): Silence | null {
  if (!isSilent && !isConfirmedSilent) return null
  const before = isSilent ? caseOf(metres, fold.motion !== 'moving', moves) : null
  return silenceOf(before, last === fold.suspect, isConfirmedSilent)
}

function caseOf(metres: number, stood: boolean, moves: boolean): SilenceCase {
  if (metres <= SAME_PLACE_M) return 'same place'
  return stood && moves && metres <= NEAR_M ? 'left from near' : 'trip'
}
