import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { ObjectState } from '../../domain/position/object-state.ts'
import type { Summaries } from '../../journeys/attributes/summary.ts'
import type { OwnedRecord } from '../../store/record-store.ts'
import type { Row } from './formats/row-form.ts'
import {
  type RecordContext,
  type ShownRecord,
  STOP_FIELDS,
  TRIP_FIELDS,
  VISIT_FIELDS,
} from './record-fields.ts'
import { jsonOf, type RowFields, rowOf } from './row-fields.ts'

/** The address of a position that brought none: the known one of its place, or the last known one of its object. */
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

export function jsonOfShown(shown: ShownRecord): string {
  return JSON_OF[shown.record.kind](shown, shown.context.unit)
}

export function rowOfShown(shown: ShownRecord): Row {
  return ROW_OF[shown.record.kind](shown, shown.context.unit)
}

export function shownRecord(
  owned: OwnedRecord,
  context: RecordContext,
  attributes?: Summaries,
): ShownRecord {
  return { owned, record: owned.record, context, object: context.object(owned.object), attributes }
}
