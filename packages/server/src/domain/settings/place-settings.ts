import type { GeofenceSettings, LonLat, RouteSettings, SiteSettings, Waypoint } from '../place.ts'
import { crossingOf } from '../ring-crossing.ts'
import {
  matching,
  number,
  optional,
  prose,
  type Rule,
  type RuleSchema,
  type Rules,
  text,
} from './rule.ts'

/** Half of the Earth's circumference. No distance is longer. */
const FARTHEST_METRES = 20_037_508

const HEX_COLOR = /^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/
const color = optional(
  matching('a hex color: #rgb, #rrggbb or #rrggbbaa', (value) => HEX_COLOR.test(value), {
    pattern: HEX_COLOR.source,
  }),
)
const metres = optional(number(0, FARTHEST_METRES, 'metres'))
const latitude = number(-90, 90, 'degrees')
const longitude = number(-180, 180, 'degrees')

/** The JSON Schema of a position. */
export const LON_LAT_SCHEMA = {
  type: 'array',
  prefixItems: [longitude.schema, latitude.schema],
  minItems: 2,
  maxItems: 2,
  description: 'Longitude and latitude in degrees (WGS 84), in this order.',
}

const WAYPOINT_SCHEMA = {
  type: 'object',
  required: ['location', 'order'],
  properties: {
    location: LON_LAT_SCHEMA,
    order: { type: 'integer', description: 'Place in the sequence.' },
  },
  description: 'A waypoint.',
}

export const GEOFENCE_RULES: Rules<GeofenceSettings> = {
  name: text(200),
  description: optional(prose(4_000)),
  color,
  coordinates: {
    ...geometry(
      'a ring of at least 3 different [longitude, latitude] pairs in degrees that does not cross itself',
      (value) => isRing(value) && crossingOf(value) === null,
      { items: LON_LAT_SCHEMA, minItems: 3 },
    ),
    finding: ringCrossing,
  },
}

export const ROUTE_RULES: Rules<RouteSettings> = {
  name: text(200),
  description: optional(prose(4_000)),
  color,
  deviation: metres,
  points: geometry(
    'waypoints, each with a location [longitude, latitude] in degrees and a whole number as order that no other has',
    isWaypoints,
    { items: WAYPOINT_SCHEMA },
  ),
  coordinates: geometry(
    'lines, each of at least 2 [longitude, latitude] pairs in degrees',
    (value) => isFilledArray(value, 1) && value.every((line) => isPath(line, 2)),
    { items: { type: 'array', items: LON_LAT_SCHEMA, minItems: 2 }, minItems: 1 },
  ),
}

export const SITE_RULES: Rules<SiteSettings> = {
  name: text(200),
  description: optional(prose(4_000)),
  icon: optional(text(100)),
  latitude,
  longitude,
  radius: metres,
}

function geometry(
  says: string,
  holds: (value: unknown) => boolean,
  limits: Pick<RuleSchema, 'items' | 'minItems'>,
): Rule {
  return { schema: { type: 'array', ...limits }, optional: false, says, holds }
}

/** "crosses itself near …" of a ring that does; undefined for any other value. */
export function ringCrossing(value: unknown): string | undefined {
  const crossing = isRing(value) ? crossingOf(value) : null
  if (crossing === null) return undefined
  return `crosses itself near [${crossing.map((degrees) => Number(degrees.toFixed(6))).join(', ')}]`
}

function isRing(value: unknown): value is LonLat[] {
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
    longitude.holds(value[0]) &&
    latitude.holds(value[1])
  )
}

function isFilledArray(value: unknown, atLeast: number): value is unknown[] {
  return Array.isArray(value) && value.length >= atLeast
}
