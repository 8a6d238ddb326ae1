import { runAtOnce, type Steps } from '../common/steps.ts'
import {
  described,
  type Finding,
  matching,
  number,
  optional,
  prose,
  type Rule,
  type RuleSchema,
  type Rules,
  text,
} from '../setting-rule.ts'
import { hasNoWidth } from './antimeridian-join.ts'
import {
  crossingOf,
  type GeofenceSettings,
  type LonLat,
  type RouteSettings,
  type SiteSettings,
  type Waypoint,
} from './place.ts'

/** Half of the Earth's circumference. No distance is longer. */
const FARTHEST_METRES = 20_037_508

const HEX_COLOR = /^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/
const color = described(
  optional(
    matching('a hex color: #rgb, #rrggbb or #rrggbbaa', (value) => HEX_COLOR.test(value), {
      pattern: HEX_COLOR.source,
    }),
  ),
  { description: 'Display color, hexadecimal.', help: 'display color' },
)
const meters = optional(number(0, FARTHEST_METRES, 'meters'))
const latitude = number(-90, 90, 'degrees')
const longitude = number(-180, 180, 'degrees')

/** The positions of a ring or a line. */
const MAX_POSITIONS = 300_000
const MAX_LINES = 100_000
const MAX_WAYPOINTS = 10_000

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
    order: { type: 'integer', description: 'Rank in the sequence.' },
  },
  description: 'A waypoint.',
}

/** The settings of every place. */
const PLACE = {
  name: described(text(200), 'Name.'),
  description: described(optional(prose(4_000)), {
    description: 'Free text.',
    help: 'description',
  }),
}

export const GEOFENCE_RULES: Rules<GeofenceSettings> = {
  ...PLACE,
  color,
  coordinates: described(
    geometry(
      'a ring of at least 3 different [longitude, latitude] pairs in degrees that does not cross itself',
      checkRing,
      { items: LON_LAT_SCHEMA, minItems: 3, maxItems: MAX_POSITIONS },
    ),
    'Vertices of the polygon.',
  ),
}

export const ROUTE_RULES: Rules<RouteSettings> = {
  ...PLACE,
  color,
  deviation: described(meters, {
    description: 'Allowed deviation in meters.',
    help: 'allowed distance from the route',
  }),
  points: described(
    geometry(
      'waypoints, each with a location [longitude, latitude] in degrees and an order, a whole number that no other waypoint has',
      checkWaypoints,
      { items: WAYPOINT_SCHEMA, maxItems: MAX_WAYPOINTS },
    ),
    'Its waypoints.',
  ),
  coordinates: described(
    geometry('lines, each of at least 2 [longitude, latitude] pairs in degrees', checkLines, {
      items: { type: 'array', items: LON_LAT_SCHEMA, minItems: 2, maxItems: MAX_POSITIONS },
      minItems: 1,
      maxItems: MAX_LINES,
    }),
    'Coordinates as in a GeoJSON MultiLineString.',
  ),
}

export const SITE_RULES: Rules<SiteSettings> = {
  ...PLACE,
  icon: described(optional(text(100)), {
    description: 'Identifier of an icon.',
    help: 'icon identifier',
  }),
  latitude: described(latitude, { description: 'Latitude of the center.', help: 'latitude' }),
  longitude: described(longitude, { description: 'Longitude of the center.', help: 'longitude' }),
  radius: described(meters, { description: 'Radius in meters.', help: 'radius' }),
}

function geometry(
  says: string,
  check: (value: unknown) => Steps<Finding | undefined>,
  limits: Pick<RuleSchema, 'items' | 'minItems' | 'maxItems'>,
): Rule {
  const most = limits.maxItems!
  function* bounded(value: unknown): Steps<Finding | undefined> {
    if (!Array.isArray(value)) return WRONG
    return value.length > most ? { text: `has more than ${most}` } : yield* check(value)
  }
  const holds = (value: unknown) => runAtOnce(bounded(value)) === undefined
  return { schema: { type: 'array', ...limits }, optional: false, says, holds, check: bounded }
}

const WRONG: Finding = {}

const NO_WIDTH: Finding = {
  text: 'has all corners at 180 degrees, so it has no width: an edge takes the shorter way around the globe',
}

/** The finding of a ring that crosses itself says where. */
export function* checkRing(
  value: unknown,
): Steps<(Finding & { isSelfCrossing?: true }) | undefined> {
  if (!(yield* isPath(value, 3)) || !hasThreeCorners(value as LonLat[])) return WRONG
  if (hasNoWidth(value as LonLat[])) return NO_WIDTH
  const crossing = yield* crossingOf(value as LonLat[])
  if (crossing === null) return undefined
  const [longitude, latitude] = crossing.map((degrees) => Number(degrees.toFixed(6)))
  return { text: `crosses itself near [${longitude}, ${latitude}]`, isSelfCrossing: true }
}

export function* checkLines(value: unknown): Steps<Finding | undefined> {
  if (!isFilledArray(value, 1, MAX_LINES)) return WRONG
  for (const line of value) if (!(yield* isPath(line, 2))) return WRONG
  return undefined
}

function* checkWaypoints(value: unknown): Steps<Finding | undefined> {
  if (!Array.isArray(value)) return WRONG
  const orders = new Set<number>()
  for (const [index, waypoint] of (value as (Partial<Waypoint> | null)[]).entries()) {
    if (typeof waypoint !== 'object' || waypoint === null) return WRONG
    const { location, order } = waypoint
    if (!isPosition(location) || !Number.isSafeInteger(order) || orders.has(order!)) return WRONG
    orders.add(order!)
    if (index % STEP_POSITIONS === 0) yield
  }
  return undefined
}

/** Positions that one step checks. */
const STEP_POSITIONS = 2_000

function* isPath(value: unknown, atLeast: number): Steps<boolean> {
  if (!isFilledArray(value, atLeast, MAX_POSITIONS)) return false
  for (let i = 0; i < value.length; i += 1) {
    if (!isPosition(value[i])) return false
    if (i % STEP_POSITIONS === 0) yield
  }
  return true
}

function hasThreeCorners(ring: readonly LonLat[]): boolean {
  const corners = new Set<string>()
  return ring.some((position) => corners.add(position.join()).size === 3)
}

function isPosition(value: unknown): value is LonLat {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    longitude.holds(value[0]) &&
    latitude.holds(value[1])
  )
}

function isFilledArray(value: unknown, atLeast: number, most: number): value is unknown[] {
  return Array.isArray(value) && value.length >= atLeast && value.length <= most
}
