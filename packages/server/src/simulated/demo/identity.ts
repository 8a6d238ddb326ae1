import type { Random } from './random.ts'

/** Value of each character in the check digit of a VIN (49 CFR 565.15); I, O and Q do not occur. */
const VIN_VALUES: Record<string, number> = Object.fromEntries([
  ...[...'0123456789'].map((digit) => [digit, Number(digit)]),
  ...[...'ABCDEFGH'].map((letter, i) => [letter, i + 1]),
  ...[...'JKLMN'].map((letter, i) => [letter, i + 1]),
  ['P', 7],
  ['R', 9],
  ...[...'STUVWXYZ'].map((letter, i) => [letter, i + 2]),
])
const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]

/** The check digit of a VIN (17 characters; the ninth is ignored): 0 to 9 or X. */
export function vinCheckDigit(vin: string): string {
  const sum = VIN_WEIGHTS.reduce((total, weight, i) => total + weight * VIN_VALUES[vin[i]!]!, 0)
  return 'X0123456789'[((sum % 11) + 1) % 11]!
}

/** The model year's letter in the tenth place of a VIN (ISO 3779). */
const YEAR_LETTERS = 'ABCDEFGHJKLMNPRSTVWXY'

/** A VIN of a model: its first eight characters (maker and description), the year and the plant. */
export function makeVin(model: string, year: number, plant: string, random: Random): string {
  const serial = String(random.whole(10_000, 199_999)).padStart(6, '0')
  const vin = `${model}0${YEAR_LETTERS[year - 2010]}${plant}${serial}`
  return vin.slice(0, 8) + vinCheckDigit(vin) + vin.slice(9)
}

/** The last digit of an IMEI: Luhn over the first fourteen. */
export function imeiCheckDigit(fourteen: string): string {
  const sum = [...fourteen]
    .map((digit, i) => Number(digit) * (1 + (i % 2)))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return String((10 - (sum % 10)) % 10)
}

/** An IMEI of a tracker type (8 digits). */
export function makeImei(typeAllocation: string, random: Random): string {
  const fourteen = typeAllocation + String(random.whole(0, 999_999)).padStart(6, '0')
  return fourteen + imeiCheckDigit(fourteen)
}

/** The letters of Spanish plates: no vowels, no Q, no Ñ. */
const PLATE_LETTERS = 'BCDFGHJKLMNPRSTVWXYZ'

/** The first two letters issued in a year. */
const PLATE_SERIES: Record<number, string> = {
  2019: 'KX',
  2020: 'LF',
  2021: 'LN',
  2022: 'LX',
  2023: 'MF',
  2024: 'MP',
}

/** `1234 BCD`. */
export function makePlate(year: number, random: Random): string {
  const digits = String(random.whole(100, 9_999)).padStart(4, '0')
  return `${digits} ${PLATE_SERIES[year]}${random.pick([...PLATE_LETTERS])}`
}
