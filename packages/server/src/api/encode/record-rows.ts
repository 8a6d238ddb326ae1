import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import type { RecordType } from '../../domain/change-types.ts'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { LonLat } from '../../domain/place.ts'
import type { ObjectState } from '../../domain/position/object-state.ts'
import type { Summaries } from '../../journeys/days/attribute-spans.ts'
import type { OwnedRecord } from '../../store/record-store.ts'
import { type Geometry, lineOf, pointOf } from '../formats/geojson.ts'
import type { Row, RowKind } from '../formats/row-form.ts'
import { withSummaries } from './attribute-summaries.ts'
import {
  type RecordContext,
  type ShownRecord,
  STOP_FIELDS,
  TRIP_FIELDS,
  VISIT_FIELDS,
} from './record-fields.ts'
import { jsonOf, type RowFields, rowOf } from './row-fields.ts'

/** The address of a position that brought none: the known one of its coordinates, or the last known one of its object. */
export function addressOr(
  known: string | null,
  object: Pick<MonitoredObject, 'address'>,
  state: Pick<ObjectState, 'address'> | undefined,
): string | null {
  return known ?? state?.address?.value ?? object.address
}

const FIELDS = {
  trip: TRIP_FIELDS as RowFields<ShownRecord>,
  stop: STOP_FIELDS as RowFields<ShownRecord>,
  visit: VISIT_FIELDS as RowFields<ShownRecord>,
}
const ROW_OF = {
  trip: rowOf(FIELDS.trip),
  stop: rowOf(FIELDS.stop),
  visit: rowOf(FIELDS.visit),
}
const JSON_OF = {
  trip: jsonOf(FIELDS.trip),
  stop: jsonOf(FIELDS.stop),
  visit: jsonOf(FIELDS.visit),
}

/** A record as JSON text, with the documented fields in the documented order. */
export function encodeRecord(owned: OwnedRecord, context: RecordContext): string {
  return jsonOfShown(shownRecord(owned, context))
}

export function recordRow(owned: OwnedRecord, context: RecordContext): Row {
  return rowOfShown(shownRecord(owned, context))
}

function jsonOfShown(shown: ShownRecord): string {
  return JSON_OF[shown.record.kind](shown, shown.context.unit)
}

function rowOfShown(shown: ShownRecord): Row {
  return ROW_OF[shown.record.kind](shown, shown.context.unit)
}

export function shownRecord(
  owned: OwnedRecord,
  context: RecordContext,
  attributes?: Summaries,
): ShownRecord {
  return { owned, record: owned.record, context, object: context.object(owned.object), attributes }
}

const AT_POINT = ['latitude', 'longitude']

function pointIn({ longitude, latitude }: Row): Geometry {
  return pointOf(longitude, latitude)
}

export const RECORD_COLUMNS: Record<RecordType, readonly string[]> = {
  trips: Object.keys(TRIP_FIELDS),
  stops: Object.keys(STOP_FIELDS),
  visits: Object.keys(VISIT_FIELDS),
}

/** A trip is the line from its start to its end, and a visit is at its place. */
function recordKind(type: RecordType): RowKind<ShownRecord> {
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
