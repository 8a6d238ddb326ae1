import type { FleetObject } from '../../cache/fleet-object.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import type { RecordType } from '../../domain/change-types.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import type { LonLat } from '../../domain/place.ts'
import { van } from '../documentation/examples.ts'
import { withSummaries } from './attribute-summaries.ts'
import { type Geometry, lineOf, pointOf } from './formats/geojson.ts'
import type { Row, RowKind } from './formats/row-form.ts'
import { encodeObject } from './object.ts'
import { type ShownRecord, STOP_FIELDS, TRIP_FIELDS, VISIT_FIELDS } from './record-fields.ts'
import { jsonOfShown, rowOfShown } from './record-rows.ts'

const AT_POINT = ['latitude', 'longitude']

/**
 * The columns of a kind are the fields of its documented example, which has all of them in the order in which rows have
 * them.
 */

/** Objects as lists have them, without a position. */
export function objectKind(unit: DistanceUnit): RowKind<FleetObject> {
  return {
    columns: Object.keys(van).flatMap((field) =>
      field === 'vehicle_data' ? Object.keys(van.vehicle_data) : [field],
    ),
    json: (object) => encodeObject(object, unit),
    row(object) {
      const { vehicle_data, ...row } = JSON.parse(encodeObject(object, unit))
      return { ...row, ...vehicle_data }
    },
  }
}

function pointIn({ longitude, latitude }: Row): Geometry {
  return pointOf(longitude, latitude)
}

export const RECORD_COLUMNS: Record<RecordType, readonly string[]> = {
  trips: Object.keys(TRIP_FIELDS),
  stops: Object.keys(STOP_FIELDS),
  visits: Object.keys(VISIT_FIELDS),
}

/** A trip is the line from its start to its end, and a visit is at its place. */
export function recordKind(type: RecordType): RowKind<ShownRecord> {
  const kind = { columns: RECORD_COLUMNS[type], row: rowOfShown, json: jsonOfShown }
  switch (type) {
    case 'trips':
      return { ...kind, geometry: lineIn }
    case 'stops':
      return { ...kind, geometry: pointIn, inGeometry: AT_POINT }
    case 'visits':
      return {
        ...kind,
        geometry: (_row, { record, context }) =>
          record.kind === 'visit'
            ? (context.placeGeometry?.(record.placeType, record.place) ?? null)
            : null,
      }
  }
}

/** Records with the attributes of their times, for the entries that an answer shows. Null: it shows none. */
export function recordKindWith(
  type: RecordType,
  entries: readonly AttributeEntry[] | null,
): RowKind<ShownRecord> {
  const kind = recordKind(type)
  if (entries === null) return kind
  const parts = type === 'stops' ? 'ends' : 'all'
  return withSummaries(kind, entries, parts, ({ attributes }) => attributes!)
}

function lineIn(trip: Row): Geometry {
  const { start_longitude, start_latitude, end_longitude, end_latitude } = trip
  if (end_longitude === null) return pointOf(start_longitude, start_latitude)
  const ends = [
    [start_longitude, start_latitude],
    [end_longitude, end_latitude],
  ]
  return lineOf(ends as LonLat[])
}
