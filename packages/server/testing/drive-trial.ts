import {
  ACCURACY_DEFAULTS,
  type Accuracy,
  type MonitoredObject,
  OBJECT_DEFAULTS,
  type ObjectSettings,
} from '../src/base/domain/monitored-object.ts'
import { bareFix, type Fix } from '../src/base/domain/position/fix.ts'
import type { FoldState, Step } from '../src/base/domain/position/fold-state.ts'
import { advance } from '../src/engine/tracking/rules/advance.ts'

/** For tests: a fix this many seconds and meters after the previous one of a drive. */
export type Leg = Partial<Fix> & { after?: number; east?: number }

/** A point on the equator, where distances are exact to the millimetre. */
const METRES_PER_DEGREE = (Math.PI * 6_378_137) / 180
/** Any day. */
export const START = Date.UTC(2026, 10, 20, 8)

export function vehicle(
  accuracy: Partial<Accuracy> = {},
  settings: Partial<ObjectSettings> = {},
): MonitoredObject {
  return {
    ...OBJECT_DEFAULTS,
    ...settings,
    ...{ id: 1, organization: 1, name: 'Van', ident: '1', createdAt: 0, updatedAt: 0 },
    accuracy: { ...ACCURACY_DEFAULTS, ...accuracy },
  }
}

/** The steps of a drive to the east that begins at `START`, with 10 s between fixes unless given. */
export function drive(object: MonitoredObject, legs: readonly Leg[]): Step[] {
  let fold: FoldState | null = null
  let time = START
  let metres = 0
  return legs.map(({ after = 10, east = 0, ...fields }, index) => {
    if (index > 0) time += after * 1_000
    metres += east
    const fix = { ...bareFix(time, time, 0, 10 + metres / METRES_PER_DEGREE), ...fields }
    const step = advance(fold, object, fix)
    fold = step.fold
    return step
  })
}

/** The fold state that a drive ends with. */
export function driven(object: MonitoredObject, legs: readonly Leg[]): FoldState {
  return drive(object, legs).at(-1)!.fold
}

/** Repeats a leg. */
export function times(count: number, leg: Leg): Leg[] {
  return Array.from({ length: count }, () => leg)
}

/** Meters. */
export const odometerOf = (fold: FoldState) => fold.odometer! / 1_000
export const mileageOf = (fold: FoldState) => fold.mileage! / 1_000
/** Seconds. */
export const engineTimeOf = (fold: FoldState) => fold.engineHours! / 1_000
/** Seconds since the drive began. */
export const since = (time: number | null) => (time === null ? null : (time - START) / 1_000)
