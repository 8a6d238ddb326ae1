import type { DistanceUnit } from '../../domain/organization.ts'

/** Kilometres in one of the organization's distance unit; a mile is the international one of 1959. */
export const KM_PER_UNIT: Record<DistanceUnit, number> = { km: 1, mi: 1.609344 }

/** Millionths of a kilometre in a hundredth of the unit. */
const HUNDREDTH: Record<DistanceUnit, number> = { km: 10_000, mi: 16_093.44 }

/**
 * Whole millionths of a km in hundredths of the organization's unit, rounded, halves up; a speed in
 * km/h converts alike. This one division leaves every half below 100,000,000 km a half, where
 * 48,316.731408 km / 1.609344 is 30,022.624999999996 miles and no longer 30,022.625.
 */
export function hundredths(micros: number, unit: DistanceUnit): number {
  return Math.round(micros / HUNDREDTH[unit])
}
