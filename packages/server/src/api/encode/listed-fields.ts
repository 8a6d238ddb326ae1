import type { Geofence, LonLat, Route, Site, Waypoint } from '../../domain/place.ts'
import { position, waypoint } from './place.ts'
import {
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
    order: { type: 'integer', description: 'Place in the sequence of waypoints.', examples: [1] },
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
/** Metres as they were set. */
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
    'Free text. Null where none is set.',
    description,
    (place) => place.description,
  ),
})
const color = (example: string) => ({
  color: fieldsOf<{ readonly color: string | null }>()(
    optional(TEXT),
    'Display color, hexadecimal. Null where none is set.',
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
    'Vertices of the polygon, in order. Whether the first is repeated at the end is as it was drawn.',
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
    'Allowed deviation from the route in metres. Null where none is set.',
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
    'Identifier of an icon that the client draws. Null where none is set.',
    'warehouse',
    ({ icon }) => icon,
  ),
  latitude: ofSite(
    LATITUDE,
    'Latitude of the centre in degrees (WGS 84), 7 decimals.',
    41.0136,
    ({ latitude }) => latitude,
  ),
  longitude: ofSite(
    LONGITUDE,
    'Longitude of the centre in degrees (WGS 84), 7 decimals.',
    28.9497,
    ({ longitude }) => longitude,
  ),
  radius: ofSite(
    optional(GIVEN_METRES),
    'Radius in metres. Null where none is set.',
    250,
    ({ radius }) => radius,
  ),
  ...times('2026-10-12T14:40:21.000Z'),
}
