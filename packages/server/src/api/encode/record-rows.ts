import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { ObjectState } from '../../domain/position/object-state.ts'
import type { OwnedRecord } from '../../store/record-store.ts'
import type { Row } from './formats/row-form.ts'
import {
  type RecordContext,
  type ShownRecord,
  STOP_FIELDS,
  TRIP_FIELDS,
  VISIT_FIELDS,
} from './record-fields.ts'
import { type RowFields, rowOf } from './row-fields.ts'

/** The address of a position that brought none: the known one of its place, or the last known one of its object. */
export function addressOr(
  known: string | null,
  object: Pick<MonitoredObject, 'address'>,
  state: Pick<ObjectState, 'address'> | undefined,
): string | null {
  return known ?? state?.address?.value ?? object.address
}

/** A record as JSON text, with the documented fields in the documented order. */
export function encodeRecord(owned: OwnedRecord, context: RecordContext): string {
  return JSON.stringify(recordRow(owned, context))
}

const ROW_OF = {
  trip: rowOf(TRIP_FIELDS as RowFields<ShownRecord>),
  stop: rowOf(STOP_FIELDS as RowFields<ShownRecord>),
  visit: rowOf(VISIT_FIELDS as RowFields<ShownRecord>),
}

export function recordRow(owned: OwnedRecord, context: RecordContext): Row {
  const { record, object } = owned
  return ROW_OF[record.kind](
    { owned, record, context, object: context.object(object) },
    context.unit,
  )
}
