import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { HOUR_MS, MICRO } from '../../domain/position/fix-record.ts'
import type { Counters } from '../../domain/position/fold-state.ts'
import { hundredthOf, hundredths } from '../../domain/unit-hundredths.ts'

/**
 * A number as answers show it: rounded to `decimals`, halves away from zero, or null. We shift digits
 * instead of multiplying: 1.005 * 100 is 100.49999999999999, but a reader of 1.005 expects 1.01.
 */
export function rounded(value: number | null, decimals: number): number | null {
  if (value === null) return null
  const size = Math.abs(value)
  const digits = String(size)
  const shifted = digits.includes('e') ? size * 10 ** decimals : Number(`${digits}e${decimals}`)
  const result = Math.round(shifted) / 10 ** decimals
  return value < 0 && result !== 0 ? -result : result
}

/** Decimals of each kind of value. Only output is rounded. */
export const DECIMALS = {
  coordinate: 7,
  /** Speed, distance, altitude and angle. */
  measure: 2,
  engineHours: 3,
  share: 4,
} as const

/** Kilometres in one distance unit of the organization. A mile is the international mile of 1959. */
export const KM_PER_UNIT: Record<DistanceUnit, number> = { km: 1, mi: 1.609344 }

/** Counters as answers show them. The object's own ones if its fixes have none. */
export function countersOf(
  object: MonitoredObject,
  counters: Counters | null,
  unit: DistanceUnit,
): Record<'engineHours' | 'odometer' | 'mileage', number | null> {
  const { engineHours = null, odometer = null, mileage = null } = counters ?? {}
  return {
    engineHours:
      engineHours === null
        ? rounded(object.engineHours, DECIMALS.engineHours)
        : hoursOf(engineHours),
    odometer: odometer === null ? measure(object.odometer, unit) : distance(odometer, unit),
    mileage: mileage === null ? measure(object.mileage, unit) : distance(mileage, unit),
  }
}

/** Engine hours of a number of milliseconds. */
export function hoursOf(milliseconds: number): number {
  return rounded(milliseconds / HOUR_MS, DECIMALS.engineHours)!
}

/** A distance in mm, in the organization's unit. */
export function distance(millimetres: number, unit: DistanceUnit): number {
  return hundredths(millimetres, hundredthOf(unit)) / 100
}

/**
 * The difference of two odometers in mm, in the organization's unit. It is below zero only while its object is
 * being folded again.
 */
export function counterDifference(millimetres: number | null, unit: DistanceUnit): number | null {
  return millimetres === null ? null : distance(Math.max(0, millimetres), unit)
}

/** Whole seconds of a number of milliseconds. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000)
}

/** km or km/h in the organization's unit, with the precision of a fix record. */
export function measure(value: number | null, unit: DistanceUnit): number | null {
  return value === null ? null : hundredths(Math.round(value * MICRO), hundredthOf(unit)) / 100
}
