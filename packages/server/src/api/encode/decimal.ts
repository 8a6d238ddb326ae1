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
} as const
