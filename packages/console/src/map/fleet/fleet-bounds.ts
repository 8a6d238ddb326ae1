import { latitudeAt, longitudeAt } from '../base/mercator.ts'
import type { Fleet } from './fleet.ts'

/** West, south, east and north of all objects. */
export function fleetBounds(
  fleet: Fleet,
): [west: number, south: number, east: number, north: number] | undefined {
  if (fleet.size === 0) return undefined
  let left = 1
  let right = 0
  let top = 1
  let bottom = 0
  for (let row = 0; row < fleet.size; row++) {
    left = Math.min(left, fleet.x[row]!)
    right = Math.max(right, fleet.x[row]!)
    top = Math.min(top, fleet.y[row]!)
    bottom = Math.max(bottom, fleet.y[row]!)
  }
  return [longitudeAt(left), latitudeAt(bottom), longitudeAt(right), latitudeAt(top)]
}
