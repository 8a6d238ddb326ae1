import type { GeofenceSettings, LonLat, RouteSettings, SiteSettings, Waypoint } from './place.ts'
import {
  type Fault,
  firstFault,
  matching,
  number,
  optional,
  prose,
  type Rule,
  type Rules,
  text,
} from './rule.ts'

/** Half of the Earth's circumference. No distance is longer. */
const FARTHEST_METRES = 20_037_508

const color = optional(
  matching('a hex color: #rgb, #rrggbb or #rrggbbaa', (value) =>
    /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value),
  ),
)
const metres = optional(number(0, FARTHEST_METRES, 'metres'))

export const GEOFENCE_RULES: Rules<GeofenceSettings> = {
  name: text(200),
  description: optional(prose(4_000)),
  color,
  coordinates: geometry(
    'a ring of at least 3 different [longitude, latitude] pairs in degrees',
    isRing,
  ),
}

export const ROUTE_RULES: Rules<RouteSettings> = {
  name: text(200),
  description: optional(prose(4_000)),
  color,
  deviation: metres,
  points: geometry(
    'waypoints, each with a location [longitude, latitude] in degrees and a whole number as order that no other has',
    isWaypoints,
  ),
  coordinates: geometry(
    'lines, each of at least 2 [longitude, latitude] pairs in degrees',
    (value) => isFilledArray(value, 1) && value.every((line) => isPath(line, 2)),
  ),
}

export const SITE_RULES: Rules<SiteSettings> = {
  name: text(200),
  description: optional(prose(4_000)),
  icon: optional(text(100)),
  latitude: number(-90, 90, 'degrees'),
  longitude: number(-180, 180, 'degrees'),
  radius: metres,
}

export function geofenceSettingsFault(patch: Partial<GeofenceSettings>): Fault | undefined {
  return firstFault(GEOFENCE_RULES, patch)
}

export function routeSettingsFault(patch: Partial<RouteSettings>): Fault | undefined {
  return firstFault(ROUTE_RULES, patch)
}

export function siteSettingsFault(patch: Partial<SiteSettings>): Fault | undefined {
  return firstFault(SITE_RULES, patch)
}

function geometry(says: string, holds: (value: unknown) => boolean): Rule {
  return { kind: 'geometry', optional: false, says, holds }
}

function isRing(value: unknown): boolean {
  return isPath(value, 3) && new Set(value.map((position) => position.join())).size >= 3
}

function isWaypoints(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const waypoints = value as Partial<Waypoint>[]
  return (
    waypoints.every(
      (waypoint) =>
        typeof waypoint === 'object' &&
        waypoint !== null &&
        isPosition(waypoint.location) &&
        Number.isSafeInteger(waypoint.order),
    ) && new Set(waypoints.map((waypoint) => waypoint.order)).size === waypoints.length
  )
}

function isPath(value: unknown, atLeast: number): value is LonLat[] {
  return isFilledArray(value, atLeast) && value.every(isPosition)
}

function isPosition(value: unknown): value is LonLat {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    SITE_RULES.longitude.holds(value[0]) &&
    SITE_RULES.latitude.holds(value[1])
  )
}

function isFilledArray(value: unknown, atLeast: number): value is unknown[] {
  return Array.isArray(value) && value.length >= atLeast
}
