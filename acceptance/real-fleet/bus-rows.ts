import geographiclib from 'geographiclib-geodesic'
import type { Motion } from '../../packages/server/src/domain/position/fold-state.ts'
import type { TrackRow } from '../../packages/server/src/fold/track-row.ts'

/** A line of the file whose vehicle had a fix. km/h. */
export type BusFix = { time: number; latitude: number; longitude: number; speed: number }

type Spot = Pick<BusFix, 'time' | 'latitude' | 'longitude'>

const { WGS84 } = geographiclib.Geodesic
const MINUTE = 60_000

/**
 * The rows of a bus after docs/tracking.md, with default settings, for devices that tell the speed and nothing
 * else. It shares no code with the rules that it judges. `fixes`: in order.
 */
export function busRows(fixes: readonly BusFix[]): TrackRow[] {
  const rows: TrackRow[] = []
  /** The newest believed spot, the one that distance is counted from, and the newest one if it is a jump. */
  let [last, anchor, suspect]: [Spot | null, Spot | null, Spot | null] = [null, null, null]
  let motion: Motion | null = null
  let hasMoved = false
  let activeAt: number | null = null
  let odometer = 0

  for (const fix of fixes) {
    const { time, latitude, longitude } = fix
    const speed = fix.speed <= 250 ? fix.speed : null
    let isActive = false
    if (last === null) {
      motion = motionOf(speed, false)
      hasMoved = motion === 'moving'
      isActive = hasMoved
      last = fix
      anchor = fix
    } else {
      const from: Spot | null = isReached(last, fix)
        ? last
        : suspect !== null && isReached(suspect, fix)
          ? suspect
          : null
      if (from === null) suspect = fix
      else {
        if (from === suspect) anchor = suspect
        const way = metres(anchor!, fix)
        const hasTravelled = way >= 100 && kmh(metres(from, fix), time - from.time) >= 5
        motion = motionOf(speed, hasTravelled)
        const isMoving = motion === 'moving'
        const isDecided = speed !== null || way >= 100
        const isLeg = isDecided && (hasMoved || isMoving || hasTravelled)
        const isTripOver: boolean = activeAt === null || time - activeAt > 5 * MINUTE
        isActive = isMoving || (isLeg && (hasTravelled || !isTripOver))
        if (isLeg) odometer += Math.round(way * 1_000)
        if (isDecided) anchor = fix
        hasMoved = isMoving || (hasMoved && !isDecided)
        last = fix
        suspect = null
      }
    }
    if (isActive) activeAt = time
    rows.push({
      ...{ time, latitude, longitude, speed, motion, hasMoved, isActive, odometer },
      isSuspect: suspect === fix,
      isShown: true,
      engineHours: null,
      address: null,
    })
  }
  return rows
}

function motionOf(speed: number | null, hasTravelled: boolean): Motion | null {
  if (speed === null) return hasTravelled ? 'moving' : null
  if (speed >= 5) return 'moving'
  return speed > 3 ? 'idle' : 'stopped'
}

/** Whether a vehicle can have come from one spot to the other. */
function isReached(from: Spot, to: Spot): boolean {
  const way = metres(from, to)
  return way <= 200 || kmh(way, to.time - from.time) <= 250
}

function metres(from: Spot, to: Spot): number {
  return WGS84.Inverse(from.latitude, from.longitude, to.latitude, to.longitude).s12!
}

function kmh(metres: number, ms: number): number {
  return (metres / ms) * 3_600
}
