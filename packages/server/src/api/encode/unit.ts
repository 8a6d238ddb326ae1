import type { DistanceUnit } from '../../domain/organization.ts'

/** Kilometres in one of the organization's distance unit; a mile is the international one of 1959. */
export const KM_PER_UNIT: Record<DistanceUnit, number> = { km: 1, mi: 1.609344 }

/** Millionths of a kilometre in a hundredth of the unit, as a fraction of whole numbers. */
const HUNDREDTH: Record<DistanceUnit, { micros: number; per: number }> = {
  km: { micros: 10_000, per: 1 },
  mi: { micros: 402_336, per: 25 },
}

/**
 * Millionths of a km in hundredths of the organization's unit, both whole, halves rounded up; a
 * speed in km/h converts alike. Whole numbers meet a half exactly: 48,316.731408 km are 30,022.625
 * miles, of which a division by 1.609344 would leave 30,022.624999999996. Exact up to 1e14.
 */
export function hundredths(micros: number, unit: DistanceUnit): number {
  const hundredth = HUNDREDTH[unit]
  return Math.round((micros * hundredth.per) / hundredth.micros)
}
