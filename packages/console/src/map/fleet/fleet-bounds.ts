import { latitudeAt, longitudeAt } from '../base/mercator.ts'
import type { Part } from '../base/view.ts'
import { type Fleet, isShown } from './fleet.ts'

/** West, south, east and north of the objects that are shown. */
export function fleetBounds(
  fleet: Fleet,
  bits = ~0,
): [west: number, south: number, east: number, north: number] | undefined {
  let left = 1
  let right = 0
  let top = 1
  let bottom = 0
  for (let row = 0; row < fleet.size; row++) {
    if (!isShown(fleet, row, bits)) continue
    left = Math.min(left, fleet.x[row]!)
    right = Math.max(right, fleet.x[row]!)
    top = Math.min(top, fleet.y[row]!)
    bottom = Math.max(bottom, fleet.y[row]!)
  }
  if (left > right) return undefined
  return [longitudeAt(left), latitudeAt(bottom), longitudeAt(right), latitudeAt(top)]
}

export function isIn({ x, y }: Fleet, row: number, { west, north, east, south }: Part): boolean {
  return x[row]! >= west && x[row]! <= east && y[row]! >= north && y[row]! <= south
}

/** Whether an object is in a part of the world. */
export function isFleetIn(fleet: Fleet, part: Part): boolean {
  for (let row = 0; row < fleet.size; row++) if (isIn(fleet, row, part)) return true
  return false
}
