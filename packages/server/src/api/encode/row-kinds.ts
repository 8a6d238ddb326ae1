import type { FleetObject } from '../../directory/fleet-object.ts'
import type { RecordType } from '../../domain/change-types.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import type { Geofence, Route, Site } from '../../domain/place.ts'
import type { OwnedRecord } from '../../store/record-store.ts'
import type { TextsOf } from '../../store/store.ts'
import { type Geometry, linesText, pointOf, polygonText } from './formats/geojson.ts'
import type { LongRowKind, Row, RowKind } from './formats/row-form.ts'
import { encodeObject } from './object.ts'
import { geofenceFrame, geofenceLists, routeFrame, routeLists, siteRow } from './place.ts'
import { type RecordContext, recordRow } from './record-rows.ts'

const OWNER = ['object_id', 'ident', 'name']
const AT_POINT = ['latitude', 'longitude']
const EDITED = ['created_at', 'updated_at']
const NAMED = ['id', 'name', 'description']

/** Objects as lists have them, without a position. */
export function objectKind(unit: DistanceUnit): RowKind<FleetObject> {
  return {
    columns: [
      ...['id', 'name', 'ident', 'time_server', 'time_device', 'time_last_idle', 'time_last_move'],
      ...['time_last_stop', 'engine_hours', 'engine_hours_type', 'odometer', 'odometer_type'],
      ...['vin', 'plate_number', 'mileage', 'address', 'accuracy', 'created_at'],
    ],
    json: (object) => encodeObject(object, unit),
    row(object) {
      const { vehicle_data, ...row } = JSON.parse(encodeObject(object, unit))
      return { ...row, ...vehicle_data }
    },
  }
}

export const GEOFENCE_KIND: LongRowKind<TextsOf<Geofence>> = {
  columns: [...NAMED, 'color', 'coordinates', ...EDITED],
  frame: geofenceFrame,
  lists: geofenceLists,
  geometry: ({ coordinates }) => polygonText(coordinates!),
  inGeometry: ['coordinates'],
}

export const ROUTE_KIND: LongRowKind<TextsOf<Route>> = {
  columns: [...NAMED, 'color', 'deviation', 'points', 'coordinates', ...EDITED],
  frame: routeFrame,
  lists: routeLists,
  geometry: ({ coordinates }) => linesText(coordinates!),
  inGeometry: ['coordinates'],
}

export const SITE_KIND: RowKind<Site> = {
  columns: [...NAMED, 'icon', ...AT_POINT, 'radius', ...EDITED],
  row: siteRow,
  geometry: pointIn,
  inGeometry: AT_POINT,
}

function pointIn({ longitude, latitude }: Row): Geometry {
  return pointOf(longitude, latitude)
}

const END = ['time', 'latitude', 'longitude', 'address', 'odometer', 'engine_hours']
const STATE = ['open', 'revision', 'updated_at']

/** The fields of a record in the order of its row. */
export const RECORD_COLUMNS: Record<RecordType, readonly string[]> = {
  trips: [
    ...['id', ...OWNER],
    ...END.map((field) => `start_${field}`),
    ...END.map((field) => `end_${field}`),
    ...['distance', 'duration', 'moving_time', 'idle_time', 'max_speed', 'average_speed'],
    ...['positions', 'longest_gap'],
    ...STATE,
  ],
  stops: [
    ...['id', ...OWNER],
    ...['start_time', 'end_time', 'latitude', 'longitude', 'address', 'duration', 'idle_time'],
    ...['positions', 'longest_gap', 'geofence_ids', 'site_ids'],
    ...STATE,
  ],
  visits: [
    ...['id', ...OWNER],
    ...['place_type', 'place_id', 'place_name', 'start_time', 'end_time', 'before_time'],
    ...['after_time', 'duration', 'distance', 'positions'],
    ...STATE,
  ],
}

/** A trip is the line from its start to its end, and a visit is at its place. */
export function recordKind(type: RecordType, context: RecordContext): RowKind<OwnedRecord> {
  const row = (owned: OwnedRecord) => recordRow(owned, context) as Row
  const kind = { columns: RECORD_COLUMNS[type], row }
  switch (type) {
    case 'trips':
      return { ...kind, geometry: lineIn }
    case 'stops':
      return { ...kind, geometry: pointIn, inGeometry: AT_POINT }
    case 'visits':
      return {
        ...kind,
        geometry: (_row, { record }) =>
          record.kind === 'visit'
            ? (context.placeGeometry?.(record.placeType, record.place) ?? null)
            : null,
      }
  }
}

function lineIn(trip: Row): Geometry {
  const start = [trip.start_longitude, trip.start_latitude]
  if (trip.end_longitude === null) return { type: 'Point', coordinates: start }
  return { type: 'LineString', coordinates: [start, [trip.end_longitude, trip.end_latitude]] }
}

export const DAY_COLUMNS = [
  ...[...OWNER, 'date', 'distance', 'trips', 'moving_time', 'idle_time', 'stopped_time'],
  ...['first_time', 'last_time', 'max_speed', 'start_odometer', 'end_odometer'],
  ...['start_engine_hours', 'end_engine_hours', 'positions'],
]
