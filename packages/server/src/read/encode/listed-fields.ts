import {
  ATTRIBUTE_TYPES,
  type AttributeEntry,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import { parseJson, writeArray, writeArrays } from '../../base/domain/common/plain-json.ts'
import type { Steps } from '../../base/domain/common/steps.ts'
import type { Geofence, LonLat, Route, Site, Waypoint } from '../../base/domain/places/place.ts'
import { degrees } from '../formats/number-format.ts'
import {
  COUNT,
  FLAG,
  fieldsOf,
  ID,
  INSTANT,
  type Kind,
  LATITUDE,
  LONGITUDE,
  METRES,
  optional,
  plain,
  TEXT,
} from './row-fields.ts'

/** The fields of items that have settings alone, in the order in which answers have them. */

/** Longitude and latitude in one array, as in GeoJSON. A schema of its own. */
export const LON_LAT_SCHEMA = {
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
  description: 'Longitude and latitude in degrees (WGS 84), in this order, as in GeoJSON.',
  examples: [[28.9783589, 41.0082376]],
}

export const WAYPOINT_SCHEMA = {
  type: 'object',
  required: ['location', 'order'],
  properties: {
    location: LON_LAT_SCHEMA,
    order: { type: 'integer', description: 'Rank in the sequence of waypoints.', examples: [1] },
  },
  description: 'A waypoint of a route.',
}

const RING: Kind<LonLat[], LonLat[]> = {
  schema: { type: 'array', items: LON_LAT_SCHEMA },
  show: (ring) => ring.map(position),
}
const LINES: Kind<LonLat[][], LonLat[][]> = {
  schema: { type: 'array', items: RING.schema },
  show: (lines) => lines.map((line) => line.map(position)),
}
const WAYPOINTS: Kind<Waypoint[], Waypoint[]> = {
  schema: { type: 'array', items: WAYPOINT_SCHEMA },
  show: (points) => points.map(waypoint),
}
/** Meters as they were set. */
const GIVEN_METRES = plain<number>(METRES.schema)

/** The fields that all kinds begin and end with. */
type Stored = { readonly id: number; readonly createdAt: number; readonly updatedAt: number }
const ofStored = fieldsOf<Stored>()

const id = (noun: string, example: number) => ({
  id: ofStored(ID, `Id of the ${noun}.`, example, ({ id }) => id),
})
const times = (updated: string) => ({
  created_at: ofStored(
    INSTANT,
    'When the record was created.',
    '2026-03-02T08:15:00.000Z',
    ({ createdAt }) => createdAt,
  ),
  updated_at: ofStored(
    INSTANT,
    'When the record was last changed.',
    updated,
    ({ updatedAt }) => updatedAt,
  ),
})

const ofPlace = fieldsOf<{ readonly name: string; readonly description: string | null }>()
const named = (noun: string, name: string, description: string | null) => ({
  name: ofPlace(TEXT, `Name of the ${noun}.`, name, (place) => place.name),
  description: ofPlace(
    optional(TEXT),
    'Free text. Null if none is set.',
    description,
    (place) => place.description,
  ),
})
const color = (example: string) => ({
  color: fieldsOf<{ readonly color: string | null }>()(
    optional(TEXT),
    'Display color, hexadecimal. Null if none is set.',
    example,
    (place) => place.color,
  ),
})

const ofGeofence = fieldsOf<Geofence>()
const ofRoute = fieldsOf<Route>()
const ofSite = fieldsOf<Site>()

export const GEOFENCE_FIELDS = {
  ...id('geofence', 12),
  ...named('geofence', 'Harbour', 'Gate is closed at night'),
  ...color('#2f80ed'),
  coordinates: ofGeofence(
    RING,
    'Vertices of the polygon, in order. The last one repeats the first if the polygon was drawn so.',
    [
      [28.9771, 41.0172],
      [28.9834, 41.0175],
      [28.9829, 41.0141],
      [28.9771, 41.0172],
    ],
    ({ coordinates }) => coordinates,
  ),
  ...times('2026-10-12T14:40:21.000Z'),
}

export const ROUTE_FIELDS = {
  ...id('route', 7),
  ...named('route', 'Harbour to depot', null),
  ...color('#27ae60'),
  deviation: ofRoute(
    optional(GIVEN_METRES),
    'Allowed deviation from the route in meters. Null if none is set.',
    150,
    ({ deviation }) => deviation,
  ),
  points: ofRoute(
    WAYPOINTS,
    'Waypoints, in order.',
    [
      { location: [28.9771, 41.0172], order: 1 },
      { location: [28.9497, 41.0136], order: 2 },
    ],
    ({ points }) => points,
  ),
  coordinates: ofRoute(
    LINES,
    'Geometry of the route, as the coordinates of a GeoJSON MultiLineString.',
    [
      [
        [28.9771, 41.0172],
        [28.9644, 41.0169],
        [28.9497, 41.0136],
      ],
    ],
    ({ coordinates }) => coordinates,
  ),
  ...times('2026-03-02T08:15:00.000Z'),
}

export const SITE_FIELDS = {
  ...id('site', 31),
  ...named('site', 'Main depot', 'Open on working days'),
  icon: ofSite(
    optional(TEXT),
    'Identifier of an icon that the client draws. Null if none is set.',
    'warehouse',
    ({ icon }) => icon,
  ),
  latitude: ofSite(
    LATITUDE,
    'Latitude of the center in degrees (WGS 84), 7 decimals.',
    41.0136,
    ({ latitude }) => latitude,
  ),
  longitude: ofSite(
    LONGITUDE,
    'Longitude of the center in degrees (WGS 84), 7 decimals.',
    28.9497,
    ({ longitude }) => longitude,
  ),
  radius: ofSite(
    optional(GIVEN_METRES),
    'Radius in meters. Null if none is set.',
    250,
    ({ radius }) => radius,
  ),
  ...times('2026-10-12T14:40:21.000Z'),
}

/** The lists in the rows of places, which may be long, as JSON. `list`: its stored text, or its values. */
export function ringJson(list: LonLat[] | string): Steps<string> {
  return shown(list, (ring) => writeArray(ring, position))
}

export function linesJson(list: LonLat[][] | string): Steps<string> {
  return shown(list, (lines) => writeArrays(lines, position))
}

export function waypointsJson(list: Waypoint[] | string): Steps<string> {
  return shown(list, (points) => writeArray(points, waypoint))
}

/** The JSON of a list as answers show it. `list`: its stored text, or its values. */
function* shown<List>(list: List | string, write: (list: List) => Steps<string>): Steps<string> {
  if (typeof list !== 'string') return yield* write(list as List)
  return (yield* isAsShown(list)) ? list : yield* write((yield* parseJson(list)) as List)
}

/** A number that is rounded, or a waypoint whose members have another order. */
const OTHERWISE = /\.\d{8}|\de|\{(?!"location":\[[^\]]*\],"order":-?\d+\})/

/** Characters that one step looks through. */
const STEP_CHARACTERS = 16 * 1024

/** Whether the stored text of a list has the form of answers: then it is neither parsed nor written. */
function* isAsShown(text: string): Steps<boolean> {
  const opening = text.startsWith('[{') ? '{' : '['
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf(opening, from + STEP_CHARACTERS)
    const to = next === -1 ? text.length : next
    if (OTHERWISE.test(text.slice(from, to))) return false
    from = to
    yield
  }
  return true
}

function waypoint({ location, order }: Waypoint) {
  return { location: position(location), order }
}

export function position([longitude, latitude]: LonLat): LonLat {
  return [degrees(longitude), degrees(latitude)]
}

const ofAttribute = fieldsOf<AttributeEntry>()

const TYPE = plain<AttributeEntry['type']>({ type: 'string', enum: ATTRIBUTE_TYPES })

/** The fields of an entry of the catalogue of attributes, in the order in which answers have them. */
export const ATTRIBUTE_FIELDS = {
  name: ofAttribute(
    TEXT,
    'The name of the attribute in answers.',
    'fuel_level',
    ({ name }) => name,
  ),
  type: ofAttribute(TYPE, 'The type of its values.', 'number', ({ type }) => type),
  unit: ofAttribute(
    optional(TEXT),
    'The unit of its numbers. Null if none is set.',
    '%',
    ({ unit }) => unit,
  ),
  label: ofAttribute(TEXT, 'Display name.', 'Fuel level', ({ label }) => label),
  decimals: ofAttribute(
    optional(COUNT),
    'Its numbers have at most this number of decimals. Null: its values are not numbers.',
    1,
    ({ type, decimals }) => (type === 'number' ? decimals : null),
  ),
  is_counter: ofAttribute(
    FLAG,
    'Whether its number only rises, except where the device starts it again.',
    false,
    ({ isCounter }) => isCounter,
  ),
  is_level: ofAttribute(
    FLAG,
    'Whether its number is the content of a tank, which is filled and drained.',
    true,
    ({ isLevel }) => isLevel,
  ),
}
