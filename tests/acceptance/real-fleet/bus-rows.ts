import geographiclib from 'geographiclib-geodesic'
import type { Motion } from '../../../packages/server/src/base/domain/position/fold-state.ts'
import type { TrackRow } from '../../../packages/server/src/engine/tracking/track-row.ts'

/** A line of the file whose vehicle had a fix. km/h. */
export type BusFix = { time: number; latitude: number; longitude: number; speed: number }

type Spot = Pick<BusFix, 'time' | 'latitude' | 'longitude'>

const { WGS84 } = geographiclib.Geodesic
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/**
 * The rows of a bus after docs/tracking.md, with default settings, for devices that send the speed and nothing
 * else. It shares no code with the rules that it judges. `fixes`: in order.
 */
export function busRows(fixes: readonly BusFix[]): TrackRow[] {
  const rows: TrackRow[] = []
  /** The newest believed spot, the one that distance is counted from, and the newest one if it is a jump. */
  let [last, anchor, suspect]: [Spot | null, Spot | null, Spot | null] = [null, null, null]
  let motion: Motion | null = null
  let hasMoved = false
  let activeAt: number | null = null
  /** When a speed was doubted. */
  let doubtedAt: number | null = null
  let odometer = 0

  for (const fix of fixes) {
    const { time, latitude, longitude } = fix
    let speed = fix.speed <= 250 ? fix.speed : null
    let isActive = false
    let joins = false
    let silence: TrackRow['silence'] = null
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
        const confirms = from === suspect
        joins = confirms
        if (confirms) anchor = suspect
        const isSilent = time - from.time > HOUR
        const isConfirmedSilent = confirms && from.time - last.time > HOUR
        const isSilence = isSilent || isConfirmedSilent
        const wasMoving: boolean = !isSilence && motion === 'moving'
        const isRecent: boolean = activeAt !== null && time - activeAt <= 5 * MINUTE
        const isUnderWay: boolean = wasMoving || (!isSilence && isRecent)
        const way = metres(anchor!, fix)
        const leg = metres(from, fix)
        const hasTravelled = way >= 100 && kmh(leg, time - from.time) >= 5
        const isDoubtRecent: boolean = doubtedAt !== null && time - doubtedAt <= 5 * MINUTE
        const isNoise: boolean = !isUnderWay && way < 100 && speed !== null
        const hasGone: boolean = hasTravelled || (way >= 100 && !isUnderWay && isDoubtRecent)
        const stood = motion !== 'moving'
        motion = isNoise ? 'stopped' : motionOf(speed, hasTravelled && !isSilent)
        const isMoving = motion === 'moving'
        const isDecided = !isNoise && (speed !== null || way >= 100)
        if (isConfirmedSilent) hasMoved = false
        const isLeg: boolean = isDecided && (hasMoved || isMoving || hasGone)
        isActive = isMoving || wasMoving || (!isSilent && isLeg && (hasGone || isUnderWay))
        const isOverDoubt = !isUnderWay && way >= 100 && !confirms && last.time === doubtedAt
        const driven = isOverDoubt && isDoubtRecent ? metres(anchor!, last) + leg : way
        if (isLeg) odometer += Math.round(driven * 1_000)
        if (isDecided) anchor = fix
        hasMoved = isMoving || (hasMoved && !isDecided && !isNoise)
        const isDoubted = isNoise && speed! >= 5
        doubtedAt = isActive ? null : isDoubted ? time : isDoubtRecent ? doubtedAt : null
        if (isDoubted) speed = null
        const near = stood && isMoving && leg <= 1_000 ? 'left from near' : 'trip'
        const before = leg <= 100 ? 'same place' : near
        if (isSilence) {
          silence = {
            ...{ before: isSilent ? before : null, confirms },
            beforeConfirmed: isConfirmedSilent,
          }
        }
        last = fix
        suspect = null
      }
    }
    if (isActive) activeAt = time
    rows.push({
      ...{ time, latitude, longitude, speed, motion, hasMoved, isActive, odometer, silence },
      isSuspect: suspect === fix,
      joins,
      anchorAt: anchor!.time,
      isShown: true,
      engineHours: null,
      address: null,
      attributes: null,
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
