import type { Organization } from '../api/types.ts'
import { decimal } from '../ui/format.ts'

type Unit = Organization['distance_unit']

export function distanceText(value: number | null, unit: Unit, digits = 1): string {
  return value === null ? 'unknown' : `${decimal(value, digits)} ${unit}`
}

export function speedText(value: number | null, unit: Unit): string {
  return value === null ? 'unknown' : `${decimal(value, 0)} ${unit === 'km' ? 'km/h' : 'mph'}`
}
