/** The units of `Fix` in one unit of those in which devices send. */
export const KMH_IN_KNOT = 1.852
export const KMH_IN_METRE_PER_SECOND = 3.6
export const KM_IN_METRE = 1 / 1000
export const HOURS_IN_SECOND = 1 / 3600
export const HOURS_IN_MILLISECOND = 1 / 3_600_000

/**
 * Millionths of a kilometre in a hundredth of the unit. Compared, because a table would be compiled for
 * one string: V8 throws the code away whenever another organization's unit is another string object.
 */
export function hundredthOf(unit: 'km' | 'mi'): number {
  return unit === 'mi' ? 16_093.44 : 10_000
}

/**
 * Converts whole millionths of a km to hundredths of a unit (`hundredthOf`), halves up. Speeds in km/h
 * convert alike. A single division keeps every half below 100,000,000 km exact, where 48,316.731408 km /
 * 1.609344 is 30,022.624999999996 miles instead of 30,022.625.
 */
export function hundredths(micros: number, hundredth: number): number {
  return Math.round(micros / hundredth)
}
