import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import type { DistanceUnit } from '../../base/domain/organization.ts'
import type { FleetObject } from '../../data/cache/fleet-objects.ts'
import { type AttributeForm, attributeMembers } from '../formats/position-format.ts'
import { DETAIL_FIELDS, OBJECT_FIELDS, STATE_FIELDS, VEHICLE_FIELDS } from './object-fields.ts'
import { currentAttributes } from './row-attributes.ts'
import { jsonOf, rowOf, tableOf } from './row-fields.ts'
import type { RowKind } from './rows.ts'

/** An object of a list as JSON text. */
export const encodeObject = jsonOf<FleetObject>(OBJECT_FIELDS)
const detailText = jsonOf<FleetObject>(DETAIL_FIELDS)
const stateText = jsonOf<FleetObject>(STATE_FIELDS)
const objectRow = rowOf<FleetObject>(OBJECT_FIELDS)

/** Objects as lists have them, without a position. The vehicle is not a record in a table. */
export function objectKind(unit: DistanceUnit): RowKind<FleetObject> {
  return {
    dated: tableOf(OBJECT_FIELDS).dated,
    columns: Object.keys(OBJECT_FIELDS).flatMap((field) =>
      field === 'vehicle_data' ? Object.keys(VEHICLE_FIELDS) : [field],
    ),
    json: (object) => encodeObject(object, unit),
    row(object) {
      const { vehicle_data, ...row } = objectRow(object, unit)
      return { ...row, ...(vehicle_data as object) }
    },
  }
}

/** An object with details as JSON text: the list item, the current location, and the attributes if there is a form. */
export function encodeObjectDetail(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  attributes?: AttributeForm,
): string {
  return withCurrent(detailText(fleetObject, unit), fleetObject, attributes)
}

/** The current state of an object as JSON text: what positions change of its details. */
export function encodeState(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  attributes?: AttributeForm,
): string {
  return withCurrent(stateText(fleetObject, unit), fleetObject, attributes)
}

/** The form of the current attributes of an object or a state. */
export function currentForm(entries: readonly AttributeEntry[]): AttributeForm {
  return attributeMembers({ entries, isCurrent: true }, '}')
}

/** The text of an object, with its current attributes if there is a form. */
function withCurrent(
  text: string,
  fleetObject: FleetObject,
  form: AttributeForm | undefined,
): string {
  if (form === undefined) return text
  return text.slice(0, -1) + form.text(currentAttributes(form.entries, fleetObject))
}
