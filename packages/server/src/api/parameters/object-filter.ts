import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { type Asked, parameterSet, text } from './parameter.ts'

/** A selection of objects by their texts. Undefined: any. */
export const OBJECT_FILTER = parameterSet({
  ident: text('ObjectIdent', 'ident', 'Only the object with exactly this `ident`.'),
  vin: text('ObjectVin', 'vin', 'Only objects with exactly this `vin`.'),
  plateNumber: text(
    'ObjectPlate',
    'plate_number',
    'Only objects with exactly this `plate_number`.',
  ),
  /** A part of any of these or of the name. */
  text: text(
    'ObjectText',
    'q',
    'Only objects with this text in `name`, `ident`, `vin` or `plate_number`, in upper or lower case.',
  ),
})
export type ObjectFilter = Asked<typeof OBJECT_FILTER>

/** Whether an object passes a filter. */
export function objectMatcher({ ident, vin, plateNumber, text }: ObjectFilter) {
  const part = text?.toLowerCase()
  const contains = (value: string | null) => value?.toLowerCase().includes(part!)
  return (object: MonitoredObject): boolean =>
    (ident === undefined || object.ident === ident) &&
    (vin === undefined || object.vin === vin) &&
    (plateNumber === undefined || object.plateNumber === plateNumber) &&
    (part === undefined ||
      [object.name, object.ident, object.vin, object.plateNumber].some(contains))
}
