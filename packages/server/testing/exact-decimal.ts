import type { DistanceUnit } from '../src/base/domain/organization.ts'

/** Exact decimal arithmetic, with which tests judge floating-point results. */
export type Exact = {
  units: bigint /** The value is `units / 10 ** decimals`. */
  decimals: number
}

/** A number by its written digits: 1.005 is 1005/1000, whatever its bits are. */
export function exact(value: number): Exact {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const units = BigInt(`${sign}${whole}${fraction}`)
  const decimals = fraction.length - Number(exponent)
  return decimals < 0
    ? { units: units * 10n ** BigInt(-decimals), decimals: 0 }
    : { units, decimals }
}

/** `a / b` rounded to `decimals`, halves away from zero, as the nearest number. `b` is above zero. */
export function quotient(a: Exact, b: Exact, decimals: number): number {
  const dividend = a.units * 10n ** BigInt(b.decimals + decimals)
  const divisor = b.units * 10n ** BigInt(a.decimals)
  const size = dividend < 0n ? -dividend : dividend
  const nearest = (2n * size + divisor) / (2n * divisor)
  const digits = String(nearest).padStart(decimals + 1, '0')
  const text = `${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}`
  return nearest !== 0n && dividend < 0n ? -Number(text) : Number(text)
}

const KM_PER: Record<DistanceUnit, Exact> = { km: exact(1), mi: exact(1.609344) }

/** Kilometers in the unit of an answer, in hundredths. */
export function inUnit(km: number, unit: DistanceUnit): number
export function inUnit(km: number | null, unit: DistanceUnit): number | null
export function inUnit(km: number | null, unit: DistanceUnit): number | null {
  return km === null ? null : quotient(exact(km), KM_PER[unit], 2)
}

/** Millimeters in the same way. */
export function millimetresIn(millimetres: number, unit: DistanceUnit): number {
  return quotient({ units: BigInt(millimetres), decimals: 6 }, KM_PER[unit], 2)
}
