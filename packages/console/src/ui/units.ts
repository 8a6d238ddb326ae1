import type { Organization } from '../api/types.ts'
import { decimal } from './format.ts'

type Unit = Organization['distance_unit']

export function distanceText(value: number, unit: Unit, digits = 1): string {
  return `${decimal(value, digits)} ${unit}`
}

export function speedText(value: number, unit: Unit): string {
  return `${decimal(value, 0)} ${speedUnit(unit)}`
}

export function speedUnit(unit: Unit): 'km/h' | 'mph' {
  return unit === 'km' ? 'km/h' : 'mph'
}
