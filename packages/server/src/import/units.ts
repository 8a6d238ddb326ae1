/** km/h in one of each unit, exactly. */
export const SPEED_UNITS = { mps: 3.6, kmh: 1, mph: 1.609344, knots: 1.852 } as const
export type SpeedUnit = keyof typeof SPEED_UNITS

/** km in one of each unit, exactly. */
export const LENGTH_UNITS = { km: 1, mi: 1.609344, m: 0.001 } as const
export type LengthUnit = keyof typeof LENGTH_UNITS
