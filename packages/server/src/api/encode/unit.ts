import type { DistanceUnit } from '../../domain/organization.ts'

/** One international mile (1959) in kilometres. */
export const KM_PER_MILE = 1.609344

/** Kilometres in one of the organization's distance unit; a speed in km/h converts alike. */
export const KM_PER_UNIT: Record<DistanceUnit, number> = { km: 1, mi: KM_PER_MILE }
