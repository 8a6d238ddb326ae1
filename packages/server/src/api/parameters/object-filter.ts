import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { BoundingBox } from '../../domain/places/ring-crossing.ts'
import { invalidBox, type Refusal } from '../refusal.ts'
import { type Asked, type Parameter, parameterSet, text, valueIn } from './parameter.ts'

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

const DEGREES = /^ *[+-]?(\d+(\.\d*)?|\.\d+) *$/

/** `bbox=west,south,east,north` in degrees. Null: not given. */
export const BOUNDING_BOX: Parameter<BoundingBox | null> = {
  described: {
    BoundingBox: {
      name: 'bbox',
      in: 'query',
      description:
        'Only objects whose last position is in this box, its edges included: `west,south,east,north` in degrees (WGS 84). If `west` is greater than `east`, the box crosses the antimeridian; 180 and -180 are one meridian.',
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
    },
  },
  single: ['bbox'],
  read(query) {
    const text = valueIn(query, 'bbox')
    return text === undefined ? null : boxOf(text)
  },
  refusals: [invalidBox('1,2,3')],
}

function boxOf(text: string): BoundingBox | Refusal {
  const numbers = text.split(',').map((part) => (DEGREES.test(part) ? Number(part) : Number.NaN))
  const [west, south, east, north] = numbers as [number, number, number, number]
  const isSound =
    numbers.length === 4 &&
    Math.abs(west) <= 180 &&
    Math.abs(east) <= 180 &&
    south >= -90 &&
    south <= north &&
    north <= 90
  return isSound ? { west, south, east, north } : invalidBox(text)
}
