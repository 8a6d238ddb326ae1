import type { Attribute } from '../../../base/domain/position/attribute.ts'
import { bareFix } from '../../../base/domain/position/fix.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/domain/time/time.ts'
import type { NewFix } from '../../../engine/tracking/fold-tables.ts'
import { attributesOf } from '../attributes.ts'

/** The packets of the simulated vehicles: a function of the time alone. */

/** Packets arrive at multiples of this time. */
export const TICK_MS = 15_000

const EVERY_MS = 30_000

/** The ids of the objects, by what is special about them. */
export const OBJECT = {
  frequent: 1,
  second: 2,
  silent: 3,
  late: 4,
  gap: 5,
  corrected: 6,
  comesBack: 7,
} as const

/** A packet is sent again with other values this long after the wrong one. */
const CORRECTED_AFTER_MS = MINUTE_MS

/** The wrong packet of each round is taken this long after its start, and is this far north. */
const WRONG_AT_MS = 6 * MINUTE_MS

const WRONG_BY_DEGREES = 0.003

/** Packets that are held back arrive this long after they were taken. */
const DELAY_MS = 61 * MINUTE_MS

/** All packets that arrive at a tick, by object. */
export function packetsAt(tick: number): NewFix[] {
  return [
    ...(isDriving(OBJECT.frequent, tick)
      ? [taken(OBJECT.frequent, tick)]
      : steady(OBJECT.frequent, tick)),
    ...steady(OBJECT.second, tick),
    ...late(tick),
    ...(isInGap(tick) ? [] : steady(OBJECT.gap, tick)),
    ...corrected(tick),
    ...(isGone(tick) ? [] : steady(OBJECT.comesBack, tick)),
  ]
}

/** Whether the object that is deleted and comes back is deleted: in the last two of each ten minutes. */
export function isGone(tick: number): boolean {
  return minuteIn(10, tick) >= 8
}

function steady(object: number, tick: number): NewFix[] {
  return isDue(object, tick) ? [taken(object, tick)] : []
}

/** The packets of the sixth of each ten minutes are held back. */
function late(tick: number): NewFix[] {
  const isHeldBack = (time: number) => minuteIn(10, time) === 5
  const delayed = tick - DELAY_MS
  const now = isHeldBack(tick) ? [] : steady(OBJECT.late, tick)
  if (!isHeldBack(delayed) || !isDue(OBJECT.late, delayed)) return now
  return [taken(OBJECT.late, delayed, tick), ...now]
}

/** Twenty minutes of each hour are lost. */
function isInGap(tick: number): boolean {
  const minute = minuteIn(60, tick)
  return minute >= 20 && minute < 40
}

/** One packet of each round has a wrong place. The right one has a better HDOP, so it replaces the wrong one. */
function corrected(tick: number): NewFix[] {
  const isWrong = (time: number) => sinceDepot(time, aheadOf(OBJECT.corrected)) === WRONG_AT_MS
  const now = steady(OBJECT.corrected, tick)
  if (isWrong(tick)) return now.map(misplaced)
  const earlier = tick - CORRECTED_AFTER_MS
  return isWrong(earlier) ? [taken(OBJECT.corrected, earlier, tick), ...now] : now
}

function misplaced({ object, fix }: NewFix): NewFix {
  return { object, fix: { ...fix, latitude: fix.latitude + WRONG_BY_DEGREES, hdop: 4 } }
}

function taken(object: number, time: number, arrival = time): NewFix {
  const spot = spotAt(time, aheadOf(object))
  const quality = { hdop: 0.8, gpsLevel: 12 }
  return {
    object,
    fix: {
      ...bareFix(time, arrival, spot.latitude, spot.longitude),
      ...spot,
      ...quality,
      altitude: 200,
      attributes: onBoard(object, time, spot),
    },
  }
}

/** A tank for the 72 rounds of a day. The second van is refrigerated: it is coldest when its engine has run longest. */
function onBoard(object: number, time: number, { ignition, odometer }: Spot): Attribute[] {
  const values = {
    fuelLevel: Number((98 - 72 * ((time % DAY_MS) / DAY_MS)).toFixed(1)),
    battery: ignition ? 13.8 : 12.6,
    driverUniqueId: `Driver ${object}`,
  }
  if (object !== OBJECT.second) return attributesOf(values)
  return attributesOf({ ...values, temp1: Number((-17 - (odometer % 6) / 2).toFixed(1)) })
}

function isDriving(object: number, time: number): boolean {
  return spotAt(time, aheadOf(object)).speed > 0
}

/** The vehicles are spread over the round, so that one of them always drives. */
function aheadOf(object: number): number {
  return ((object - 1) * ROUND_MS) / 8
}

/** Twice a minute. Half of the vehicles report between the others. */
function isDue(object: number, time: number): boolean {
  return (time + (object % 2) * TICK_MS) % EVERY_MS === 0
}

/** The minute of the UTC day, counted in groups of some minutes. */
function minuteIn(minutes: number, time: number): number {
  return Math.floor((time % DAY_MS) / MINUTE_MS) % minutes
}

/** The round that all vehicles drive: 6 km in 12 minutes, and then 8 minutes at the depot. Pure. */

const ROUND_MS = 20 * MINUTE_MS

const DRIVE_MS = 12 * MINUTE_MS

/** The engine runs for a minute after the vehicle has stopped. */
const ENGINE_MS = 13 * MINUTE_MS

const ROUND_KM = 6

const SPEED_KMH = ROUND_KM / (DRIVE_MS / HOUR_MS)

/** The counters count from this moment on. A round begins with it. */
const FIRST_ROUND = Date.UTC(2026, 0, 1)

const CENTRE = { latitude: 41.65, longitude: -0.88 }

const CORNERS = 24

/** The radius of the circle through the corners, for sides of 250 m. */
const RADIUS_M = (ROUND_KM * 1_000) / CORNERS / (2 * Math.sin(Math.PI / CORNERS))

const METRES_PER_DEGREE = 111_195

/** The direction of the depot from the center, where the round begins and ends. Degrees. */
const SOUTH = 180

/** The measurements of a vehicle at a moment. */
type Spot = {
  latitude: number
  longitude: number
  /** Degrees. */
  angle: number
  /** km/h. */
  speed: number
  ignition: boolean
  /** km and hours. */
  odometer: number
  engineHours: number
  address: string
}

/** Where a vehicle is at a moment. `ahead`: the time by which it is ahead of a vehicle that starts each full hour. */
function spotAt(time: number, ahead: number): Spot {
  const at = sinceDepot(time, ahead)
  const rounds = Math.max(0, Math.floor((time + ahead - FIRST_ROUND) / ROUND_MS))
  const side = (Math.min(at / DRIVE_MS, 1) * CORNERS) % CORNERS
  const corner = Math.floor(side)
  return {
    ...placeAlong(side),
    angle: (SOUTH + (360 / CORNERS) * (corner + 0.5) + 90) % 360,
    speed: at < DRIVE_MS ? SPEED_KMH : 0,
    ignition: at < ENGINE_MS,
    odometer: rounded(rounds * ROUND_KM + ROUND_KM * Math.min(at / DRIVE_MS, 1), 3),
    engineHours: rounded((rounds * ENGINE_MS + Math.min(at, ENGINE_MS)) / HOUR_MS, 4),
    address: `${corner + 1} Test Round`,
  }
}

/** How long a vehicle has been on its round at a moment. */
function sinceDepot(time: number, ahead: number): number {
  return (time + ahead) % ROUND_MS
}

/** The corners of the round as longitude and latitude, the first one again at the end. */
export function roundLine(): [number, number][] {
  return Array.from({ length: CORNERS + 1 }, (_, corner) => {
    const { latitude, longitude } = cornerPlace(corner)
    return [longitude, latitude]
  })
}

type Place = { latitude: number; longitude: number }

/** The place after some of the sides, on the straight line between two corners. */
function placeAlong(sides: number): Place {
  const [from, to] = [cornerPlace(Math.floor(sides)), cornerPlace(Math.floor(sides) + 1)]
  const share = sides - Math.floor(sides)
  return {
    latitude: rounded(from.latitude + (to.latitude - from.latitude) * share, 6),
    longitude: rounded(from.longitude + (to.longitude - from.longitude) * share, 6),
  }
}

/** A corner, clockwise from the depot in the south. */
export function cornerPlace(corner: number): Place {
  return placeBeside(SOUTH + (360 / CORNERS) * corner, RADIUS_M)
}

/** The place in a direction from the center, in degrees. */
function placeBeside(direction: number, metres: number): Place {
  const radians = (direction * Math.PI) / 180
  const shrink = Math.cos((CENTRE.latitude * Math.PI) / 180)
  return {
    latitude: rounded(CENTRE.latitude + (Math.cos(radians) * metres) / METRES_PER_DEGREE, 6),
    longitude: rounded(
      CENTRE.longitude + (Math.sin(radians) * metres) / METRES_PER_DEGREE / shrink,
      6,
    ),
  }
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
