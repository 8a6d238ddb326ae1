/** The units of `Fix` in one unit of those in which devices send. */
export const KMH_IN_KNOT = 1.852
export const KMH_IN_METRE_PER_SECOND = 3.6
export const KM_IN_METRE = 1 / 1000
export const HOURS_IN_SECOND = 1 / 3600
export const HOURS_IN_MILLISECOND = 1 / 3_600_000
