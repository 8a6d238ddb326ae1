import type { BoundingBox } from '../../domain/position/bounding-box.ts'
import { invalidBox, type Refusal } from '../refusal.ts'
import { type Parameter, valueIn } from './parameter.ts'

const NUMBER = /^ *[+-]?(\d+(\.\d*)?|\.\d+) *$/

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
  const numbers = text.split(',').map((part) => (NUMBER.test(part) ? Number(part) : Number.NaN))
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
