import { bareFix, type Fix } from '../domain/fix.ts'
import type { Step, Track } from '../domain/track.ts'
import {
  ACCURACY_DEFAULTS,
  type Accuracy,
  OBJECT_DEFAULTS,
  type ObjectSettings,
  type TrackedObject,
} from '../domain/tracked-object.ts'
import { advance } from './advance.ts'

/** For tests: a fix so many seconds and metres after the one before it in a drive. */
export type Leg = Partial<Fix> & { after?: number; east?: number }

/** A point on the equator, where distances are exact to the millimetre. */
const METRES_PER_DEGREE = (Math.PI * 6_378_137) / 180
/** Any day. */
export const START = Date.UTC(2026, 10, 20, 8)

export function vehicle(
  accuracy: Partial<Accuracy> = {},
  settings: Partial<ObjectSettings> = {},
): TrackedObject {
  return {
    ...OBJECT_DEFAULTS,
    ...settings,
    ...{ id: 1, organization: 1, name: 'Van', ident: '1', createdAt: 0, updatedAt: 0 },
    accuracy: { ...ACCURACY_DEFAULTS, ...accuracy },
  }
}

/** The steps of a drive to the east that begins at `START`, with 10 s between fixes unless given. */
export function drive(object: TrackedObject, legs: readonly Leg[]): Step[] {
  let track: Track | null = null
  let time = START
  let metres = 0
  return legs.map(({ after = 10, east = 0, ...told }, index) => {
    if (index > 0) time += after * 1_000
    metres += east
    const fix = { ...bareFix(time, time, 0, 10 + metres / METRES_PER_DEGREE), ...told }
    const step = advance(track, object, fix)
    track = step.track
    return step
  })
}

/** The track that a drive ends with. */
export function driven(object: TrackedObject, legs: readonly Leg[]): Track {
  return drive(object, legs).at(-1)!.track
}

/** The same leg so many times. */
export function times(count: number, leg: Leg): Leg[] {
  return Array.from({ length: count }, () => leg)
}

/** Metres. */
export const odometerOf = (track: Track) => track.odometer! / 1_000
export const mileageOf = (track: Track) => track.mileage! / 1_000
/** Seconds. */
export const engineTimeOf = (track: Track) => track.engineHours! / 1_000
/** Seconds since the drive began. */
export const since = (time: number | null) => (time === null ? null : (time - START) / 1_000)
