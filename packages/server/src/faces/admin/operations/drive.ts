import * as doc from '../../../acts/document-schema.ts'
import type { MonitoredObject } from '../../../base/domain/monitored-object.ts'
import type { DistanceUnit } from '../../../base/domain/organization.ts'
import { hundredthOf, hundredths } from '../../../base/domain/position/field.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import type {
  FoldRules,
  FoldState,
  Motion,
  RejectReason,
} from '../../../base/domain/position/fold-state.ts'
import { DECIMALS, measure, rounded } from '../../../read/formats/number-format.ts'

/** A shorter stop is a traffic light. */
const MIN_STOP_MS = 2 * 60_000
/** In a longer gap between fixes nobody knows what happened. */
const MAX_GAP_MS = 10 * 60_000

const coordinate: doc.Field<number> = {
  schema: doc.real('Degrees.').schema,
  write: (degrees) => rounded(degrees, DECIMALS.coordinate)!,
}
const STAND = doc.record(
  {
    from: doc.instant('When it stopped.'),
    to: doc.instantOrNull(
      'When it moved again. Null: it was still stopped at the end of the range.',
    ),
    motion: doc.plain<Motion>(
      { type: 'string', enum: ['idle', 'stopped'] },
      'With the engine running, or not.',
    ),
    latitude: coordinate,
    longitude: coordinate,
  },
  'A stop of two minutes or more.',
  'Stand',
)
export const TOTALS = {
  positions: doc.integer('Positions that history shows.'),
  distance: doc.real('Distance in the distance unit of the organization.'),
  moving_seconds: doc.integer('Time in which it moved.'),
  idle_seconds: doc.integer('Time that it was idle.'),
}

export const SUMMARY = doc.record({ ...TOTALS, stops: doc.list(STAND) }, 'The results of a range.')

export type TrackPoint = [
  time: number,
  longitude: number,
  latitude: number,
  speed: number | null,
  angle: number | null,
  motion: Motion | null,
  odometer: number | null,
]

type Stand = {
  from: number
  to: number | null
  motion: Motion
  latitude: number
  longitude: number
}

/**
 * The totals of a range of fixes under an object's settings, by the rules that its counters follow: pass
 * all fixes in the order of their times, then ask. Starts without knowledge of earlier fixes.
 */
export type Drive = {
  /** Whether the history would show the fix. */
  add(fix: Fix): boolean
  readonly motion: Motion | null
  summary(unit: DistanceUnit): ReturnType<typeof summaryOf>
  readonly refused: ReadonlyMap<RejectReason, number>
  readonly accepted: number
}

export function openDrive(object: MonitoredObject, rules: FoldRules): Drive {
  let fold: FoldState | null = null
  let accepted = 0
  let shown = 0
  let firstOdometer = 0
  let movingMs = 0
  let idleMs = 0
  let stand: Stand | null = null
  const stops: Stand[] = []
  const refused = new Map<RejectReason, number>()

  function follow(fix: Fix, motion: Motion | null): void {
    if (motion === 'moving') {
      if (stand !== null) end(fix.timeDevice)
      return
    }
    if (motion === null) return
    if (stand === null) {
      const { timeDevice: from, latitude, longitude } = fix
      stand = { from, to: null, motion, latitude, longitude }
    } else if (motion === 'stopped') stand.motion = motion
  }

  function end(at: number): void {
    if (stand !== null && at - stand.from >= MIN_STOP_MS) stops.push({ ...stand, to: at })
    stand = null
  }

  return {
    add(fix) {
      const reason = rules.judge(object, fix)
      if (reason !== undefined) {
        refused.set(reason, (refused.get(reason) ?? 0) + 1)
        return false
      }
      const before = fold
      const step = rules.advance(before, object, fix)
      fold = step.fold
      accepted += 1
      if (before === null) firstOdometer = fold.odometer ?? 0
      const gap = before === null ? 0 : fix.timeDevice - before.at
      if (gap <= MAX_GAP_MS && before?.motion === 'moving') movingMs += gap
      if (gap <= MAX_GAP_MS && before?.motion === 'idle') idleMs += gap
      follow(fix, fold.motion)
      if (!step.hidden) shown += 1
      return !step.hidden
    },
    get motion() {
      return fold?.motion ?? null
    },
    get accepted() {
      return accepted
    },
    refused,
    summary(unit) {
      const all = [...stops]
      const lasting = stand !== null && fold !== null && fold.at - stand.from >= MIN_STOP_MS
      if (lasting) all.push(stand!)
      const distance = Math.max(0, (fold?.odometer ?? 0) - firstOdometer)
      return summaryOf({ shown, distance, movingMs, idleMs, stops: all }, unit)
    },
  }
}

function summaryOf(
  drive: { shown: number; distance: number; movingMs: number; idleMs: number; stops: Stand[] },
  unit: DistanceUnit,
) {
  return SUMMARY.write({
    positions: drive.shown,
    distance: hundredths(drive.distance, hundredthOf(unit)) / 100,
    movingSeconds: Math.round(drive.movingMs / 1_000),
    idleSeconds: Math.round(drive.idleMs / 1_000),
    stops: drive.stops,
  })
}

/** `odometer`: at this fix, in mm. */
export function pointOf(
  fix: Fix,
  motion: Motion | null,
  odometer: number | null,
  unit: DistanceUnit,
): TrackPoint {
  return [
    fix.timeDevice,
    rounded(fix.longitude, DECIMALS.coordinate)!,
    rounded(fix.latitude, DECIMALS.coordinate)!,
    measure(fix.speed, unit),
    rounded(fix.angle, DECIMALS.measure),
    motion,
    odometer === null ? null : hundredths(odometer, hundredthOf(unit)) / 100,
  ]
}
