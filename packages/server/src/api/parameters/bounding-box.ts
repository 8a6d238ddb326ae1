import type { BoundingBox } from '../../domain/position/bounding-box.ts'
import { invalidBox, type Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'

const NUMBER = /^ *[+-]?(\d+(\.\d*)?|\.\d+) *$/

/** Reads `bbox=west,south,east,north` in degrees. Null: not given. */
export function readBoundingBox(query: Query): BoundingBox | null | Refusal {
  const text = query.get('bbox')?.[0] || undefined
  if (text === undefined) return null
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
