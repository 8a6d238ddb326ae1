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
  /** The believed fixes, each with what came of it. */
  const believed: BusFix[] = []
  /** The group of fixes after a jump, and whether two confirm it. */
  let [group, isQuick]: [BusFix[], boolean] = [[], false]
  /** The last believed fix before the last confirmed jump, and the place since when no other was seen. */
  let [origin, home]: [BusFix | null, BusFix | null] = [null, fixes[0] ?? null]
  let anchor = fixes[0]!
  let motion: Motion | null = null
  let hasMoved = false
  let activeAt: number | null = null
  /** When a speed was doubted. */
  let doubtedAt: number | null = null
  let odometer = 0

  for (const fix of fixes) {
    const { time, latitude, longitude } = fix
    const last = believed.at(-1)
    let speed = fix.speed <= 250 ? fix.speed : null
    let [isActive, joins, isSuspect] = [false, false, false]
    let silence: TrackRow['silence'] = null
    if (last === undefined) {
      motion = motionOf(speed, false)
      hasMoved = motion === 'moving'
      isActive = hasMoved
      believed.push(fix)
    } else {
      const newest = group.at(-1)
      const isNear = isReached(last, fix, firstWithSpeed(believed))
      const isOfGroup = newest !== undefined && isReached(newest, fix)
      const returns = isNear && !(isOfGroup && metres(newest, fix) <= metres(last, fix))
      joins = !returns && isOfGroup
      const isConfirmed: boolean =
        joins &&
        (isQuick ||
          time - newest!.time > HOUR ||
          (group.length >= 9 && time - group[0]!.time >= HOUR))
      isSuspect = !returns && !isConfirmed
      if (isSuspect) {
        if (joins) group.push(fix)
        else {
          group = [fix]
          isQuick =
            metres(last, fix) <= 10_000 ||
            time - last.time > HOUR ||
            home !== null ||
            isReachedFrom(believed.at(-2) ?? null, fix) ||
            isReachedFrom(origin, fix) ||
            last.time - firstThere(believed) > HOUR
        }
      } else {
        const from: BusFix = joins ? newest! : last
        const isConfirmedSilent = joins && isQuick && from.time - last.time > HOUR
        if (joins) {
          origin = isQuick && isReachedFrom(origin, from) ? null : last
          believed.push(from)
          anchor = from
        }
        const leftAt: number = joins ? from.time : firstWithSpeed(believed)
        const before: BusFix = believed.at(-1)!
        believed.push(fix)
        group = []
        const since = firstWithSpeed(believed, joins ? before : null)
        if (since < time && time - since > 2 * MINUTE) speed = null
        const leg = metres(from, fix)
        const isSilent = time - from.time > HOUR
        const isSlow = !isSilent && time - from.time > 5 * MINUTE && kmh(leg, time - from.time) < 1
        const isBroken = isSilent || isConfirmedSilent || isSlow
        const stood: boolean = motion !== 'moving'
        const wasMoving: boolean = !isBroken && !stood
        const isRecent: boolean = activeAt !== null && time - activeAt <= 5 * MINUTE
        const isUnderWay: boolean = wasMoving || (!isBroken && isRecent)
        const way = metres(anchor, fix)
        const hasTravelled = way >= 100 && !isSlow && kmh(leg, time - leftAt) >= 5
        const isDoubtRecent: boolean = doubtedAt !== null && time - doubtedAt <= 5 * MINUTE
        const isNoise: boolean =
          !isUnderWay && speed !== null && (way < 100 || (isSlow && speed >= 5))
        const hasGone: boolean = hasTravelled || (way >= 100 && !isUnderWay && isDoubtRecent)
        motion = isNoise ? 'stopped' : motionOf(speed, hasTravelled && !isSilent)
        const isMoving = motion === 'moving'
        const isDecided = !isNoise && (speed !== null || way >= 100)
        if (isConfirmedSilent) hasMoved = false
        const isGarage = stood || (kmh(leg, time - from.time) < 1 && from.speed < 40)
        const kind =
          leg <= 100
            ? 'same place'
            : isMoving && leg <= 1_000 && isGarage
              ? 'left from near'
              : 'trip'
        // Without an ignition, no fix moves after a slow leg.
        const quiet = isSilent ? kind : isSlow && !stood ? 'slow leg' : null
        if (quiet !== null || isConfirmedSilent) {
          silence = { before: quiet, confirms: joins, beforeConfirmed: isConfirmedSilent }
        }
        const isTrip = quiet === 'trip'
        const isStop = isSlow || (isSilent && !isTrip)
        /** Whether the trip before was open at the believed fix before. */
        const isOpen: boolean =
          !isStop && activeAt !== null && (!stood || last.time - activeAt <= 5 * MINUTE)
        const staysUncounted: boolean =
          isMoving || !stood ? isStop : hasMoved && !isOpen && !hasGone && way <= 1_000
        const leavesGarage = isSilent && isStop && isMoving
        let isLeg = false
        if (isTrip) {
          if (!(stood && !isMoving && leg <= 1_000)) odometer += Math.round(leg * 1_000)
        } else if (isDecided && !leavesGarage && !staysUncounted) {
          isLeg = !isStop && ((hasMoved && isOpen) || isMoving || hasGone)
          const isOverDoubt = !isUnderWay && way >= 100 && !joins && last.time === doubtedAt
          const driven = isOverDoubt && isDoubtRecent ? metres(anchor, last) + leg : way
          if (isLeg) odometer += Math.round(driven * 1_000)
        }
        isActive = isMoving || wasMoving || (isLeg && (hasGone || isUnderWay))
        const advances: boolean = isTrip || leavesGarage || (isDecided && !staysUncounted)
        if (advances) anchor = fix
        hasMoved = isMoving || (hasMoved && !advances && !isNoise)
        const isDoubted = isNoise && speed! >= 5 && way < 100
        doubtedAt = isActive ? null : isDoubted ? time : isDoubtRecent ? doubtedAt : null
        if (isDoubted) speed = null
        if (isConfirmedSilent) home = from
        if (home !== null && metres(home, fix) > 200) home = null
        if (isTrip) home = fix
      }
    }
    if (isActive) activeAt = time
    rows.push({
      ...{ time, latitude, longitude, speed, motion, hasMoved, isActive, odometer, silence },
      ...{ joins, isSuspect, anchorAt: anchor.time },
      isShown: true,
      engineHours: null,
      address: null,
      isOff: false,
      attributes: null,
    })
  }
  return rows
}

/** The time of the first of the last fixes at exactly the same place. */
function firstThere(believed: readonly BusFix[]): number {
  const { latitude, longitude } = believed.at(-1)!
  const other = believed.findLastIndex(
    (fix) => fix.latitude !== latitude || fix.longitude !== longitude,
  )
  return believed[other + 1]!.time
}

/** The time of the first of them that has the same speed of movement, too. `from`: none before it counts. */
function firstWithSpeed(believed: readonly BusFix[], from: BusFix | null = null): number {
  const { time, latitude, longitude, speed } = believed.at(-1)!
  if (speed < 5 || speed > 250) return time
  const other = believed.findLastIndex(
    (fix) => fix.latitude !== latitude || fix.longitude !== longitude || fix.speed !== speed,
  )
  const first = from === null ? other + 1 : Math.max(other + 1, believed.lastIndexOf(from))
  return believed[first]!.time
}

function motionOf(speed: number | null, hasTravelled: boolean): Motion | null {
  if (speed === null) return hasTravelled ? 'moving' : null
  if (speed >= 5) return 'moving'
  return speed > 3 ? 'idle' : 'stopped'
}

/** Whether a vehicle can have come from one spot to the other. `since`: when it was first seen there. */
function isReached(from: Spot, to: Spot, since = from.time): boolean {
  const way = metres(from, to)
  return way <= 200 || kmh(way, to.time - since) <= 250
}

function isReachedFrom(from: Spot | null, to: Spot): boolean {
  return from !== null && isReached(from, to)
}

function metres(from: Spot, to: Spot): number {
  return WGS84.Inverse(from.latitude, from.longitude, to.latitude, to.longitude).s12!
}

function kmh(metres: number, ms: number): number {
  return (metres / ms) * 3_600
}
