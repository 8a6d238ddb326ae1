import { bareFix, type Fix } from '../../domain/position/fix.ts'
import { onBoardOf } from './on-board.ts'
import { elevation, type Point, toLonLat } from './plane.ts'
import { drift, hash, noise } from './random.ts'
import { type DutyDay, dutyDays } from './roster.ts'
import type { Activity } from './round.ts'
import { VEHICLES, type Vehicle } from './vehicles.ts'

/** Seconds between fixes while the vehicle idles. */
const IDLING_EVERY = 30

/**
 * The fixes of a demo vehicle with `from` < `timeDevice` <= `to`, in order. The fix of a moment is the
 * same in every range. An unknown ident has none.
 */
export function* demoFixes(ident: string, from: number, to: number): Generator<Fix> {
  const vehicle = VEHICLES.find((candidate) => candidate.ident === ident)
  if (vehicle === undefined || !vehicle.reports) return
  const receiver = receiverOf(vehicle)
  for (const day of dutyDays(vehicle, from, to)) {
    for (const activity of day.activities) {
      const start = day.start + activity.start * 1000
      if (start > to) break
      if (start + activity.seconds * 1000 <= from) continue
      for (const second of reportingTimes(vehicle, activity)) {
        const time = start + second * 1000
        if (time > from && time <= to) yield receiver(time, second, activity, day)
      }
    }
  }
}

/**
 * Seconds after the start of an activity at which the tracker sends a fix. It also sends one at each
 * corner.
 */
function reportingTimes(vehicle: Vehicle, activity: Activity): number[] {
  const every =
    activity.kind === 'driving'
      ? vehicle.every.driving
      : activity.kind === 'idling'
        ? IDLING_EVERY
        : vehicle.every.parked
  const count = Math.ceil(activity.seconds / every)
  const regular = Array.from({ length: count }, (_, i) => i * every)
  if (activity.kind !== 'driving') return regular
  const corners = activity.leg.corners.filter((corner) => corner < activity.seconds)
  return [...new Set([...regular, ...corners])].sort((a, b) => a - b)
}

/** The position as the vehicle's receiver measures it: some metres off, depending on the sky. */
function receiverOf(vehicle: Vehicle) {
  const seed = (purpose: string) => hash(`${vehicle.ident} ${purpose}`)
  const alongSeed = seed('along')
  const upSeed = seed('up')
  const skySeed = seed('sky')
  const delaySeed = seed('delay')
  const onBoard = onBoardOf(vehicle)
  const blur = (point: Point, time: number, moving: boolean): Point => {
    // A parked receiver averages, so it wanders less and much more slowly.
    const [reach, period] = moving ? [4, 60_000] : [2.5, 1_800_000]
    const second = time / 1000
    return {
      along: point.along + reach * drift(alongSeed, time, period) + noise(alongSeed, second) - 0.5,
      up: point.up + reach * drift(upSeed, time, period) + noise(upSeed, second) - 0.5,
    }
  }
  return (time: number, second: number, activity: Activity, day: DutyDay): Fix => {
    const seen = sighting(activity, second)
    const [longitude, latitude] = toLonLat(blur(seen.point, time, activity.kind === 'driving'))
    const sky = Math.abs(drift(skySeed, time, 90_000))
    const { before } = activity
    const isRunning = activity.kind !== 'parked'
    const isWaiting = activity.kind !== 'driving'
    const engine = before.engine + (isRunning ? second : 0)
    const timeServer = time + 1000 + Math.floor(noise(delaySeed, time / 1000) * 2000)
    return {
      ...bareFix(time, timeServer, latitude, longitude),
      altitude: Math.round((elevation(seen.point) + 2 * drift(skySeed, time, 240_000)) * 10) / 10,
      angle: Math.round(seen.heading) % 360,
      speed: Math.round(seen.speed * 36) / 10,
      engineHours: (vehicle.engineHours * 3_600 + day.before.engine + engine) / 3_600,
      odometer:
        (vehicle.odometer * 1000 +
          Math.floor((day.before.driven + before.driven + seen.driven) / 1000)) /
        1000,
      hdop: Math.round((0.7 + 0.9 * sky) * 10) / 10,
      gpsLevel: 17 - Math.round(8 * sky),
      ignition: isRunning,
      attributes: onBoard({ time, day: day.start, engine, isRunning, isWaiting }),
      address: seen.address,
    }
  }
}

function sighting(activity: Activity, second: number) {
  if (activity.kind === 'driving') return activity.leg.at(second)
  const { point, address } = activity.spot
  return { point, heading: activity.heading, speed: 0, driven: 0, address }
}
