import type { AttributeValue } from '../position/attribute.ts'
import { decimalText } from '../position/field-lists.ts'
import type { AttributeEntry } from './attribute-catalogue.ts'

/*
 * The arithmetic of shown numbers, which is that of decimals on paper.
 */

/** The parts of an entry that make a number of a device a shown one. */
export type Scaling = Pick<AttributeEntry, 'decimals' | 'scale' | 'offset'>

/** A shown number has at most 15 digits, so that its text is its decimal and sums of a few are exact. */
const MAX_UNITS = 999_999_999_999_999

/** The number of shown units of 10^-decimals, which may be a sum. */
export function numberOf(units: number, { decimals }: Pick<Scaling, 'decimals'>): number {
  return units / 10 ** decimals
}

/**
 * Returns the shown number in whole units of 10^-decimals: `value * scale + offset`, computed from the decimals that
 * people read (so 1.15 * 0.1 is 0.115), halves away from zero. Undefined if the value is not a number, nor a text with
 * one, or has more than 15 digits of these units.
 */
export function unitsOf(value: AttributeValue, scaling: Scaling): number | undefined {
  const number = typeof value === 'number' ? value : decimalText(value)
  if (number === undefined) return undefined
  const units = nearUnits(number, scaling) ?? exactUnits(number, scaling)
  return Math.abs(units) <= MAX_UNITS ? units : undefined
}

/**
 * Returns the shown number of a table in whole units of 10^-decimals: the line between the two points around the sent
 * number. Undefined outside the points.
 */
export function tableUnits(
  value: AttributeValue,
  table: readonly (readonly [number, number])[],
  { decimals }: Pick<Scaling, 'decimals'>,
): number | undefined {
  const sent = typeof value === 'number' ? value : decimalText(value)
  if (sent === undefined || !(sent >= table[0]![0])) return undefined
  const next = table.findIndex(([x]) => x >= sent)
  if (next < 0) return undefined
  const [x, y] = table[next]!
  const [from, start] = table[Math.max(next - 1, 0)]!
  const shown = x === sent ? y : start + ((y - start) * (sent - from)) / (x - from)
  return unitsOf(shown, { scale: 1, offset: 0, decimals })
}

/**
 * More than the error of floating point in `value * scale + offset`, as a part of the largest term: seven roundings of
 * 2^-53 at most.
 */
const ERROR = 2 ** -50

/** The units by floating point. Undefined if its error may decide which way they are rounded. */
function nearUnits(value: number, { scale, offset, decimals }: Scaling): number | undefined {
  const unit = 10 ** decimals
  const product = value * scale
  const size = Math.abs(product + offset) * unit
  const error = (Math.abs(product) + Math.abs(offset)) * unit * ERROR
  const whole = Math.floor(size)
  const isClear = Math.abs(size - whole - 0.5) > error
  if (!isClear) return undefined
  const units = size - whole < 0.5 ? whole : whole + 1
  return product + offset < 0 && units !== 0 ? -units : units
}

function exactUnits(value: number, { scale, offset, decimals }: Scaling): number {
  const [number, factor, added] = [decimalOf(value), decimalOf(scale), decimalOf(offset)]
  const places = Math.max(number.places + factor.places, added.places, decimals)
  const product = number.mantissa * factor.mantissa * power(places - number.places - factor.places)
  const sum = product + added.mantissa * power(places - added.places)
  return Number(withoutPlaces(sum, places - decimals))
}

/** The number `mantissa / 10^places`. */
type Decimal = { mantissa: bigint; places: number }

/** The shortest decimal that reads as this number. */
function decimalOf(value: number): Decimal {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const places = fraction.length - Number(exponent)
  const mantissa = BigInt(whole + fraction)
  return places < 0 ? { mantissa: mantissa * power(-places), places: 0 } : { mantissa, places }
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}

/** A number of units of 10^-places, rounded to whole ones, halves away from zero. */
function withoutPlaces(units: bigint, places: number): bigint {
  const whole = power(places)
  const size = units < 0n ? -units : units
  const rounded = (2n * size + whole) / (2n * whole)
  return units < 0n ? -rounded : rounded
}
