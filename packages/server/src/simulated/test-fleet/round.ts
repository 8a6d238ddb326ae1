import { HOUR_MS, MINUTE_MS } from '../../domain/time/time.ts'

/** The round that all vehicles drive: 6 km in 12 minutes, and then 8 minutes at the depot. Pure. */

export const ROUND_MS = 20 * MINUTE_MS
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
/** The direction of the depot from the centre, where the round begins and ends. Degrees. */
const SOUTH = 180

/** The measurements of a vehicle at a moment. */
export type Spot = {
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
export function spotAt(time: number, ahead: number): Spot {
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
export function sinceDepot(time: number, ahead: number): number {
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

/** The place in a direction from the centre, in degrees. */
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
